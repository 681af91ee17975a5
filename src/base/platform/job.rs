//! The place of this process in a job of `mpirun` or of another starter of parallel programs.

use std::ffi::OsString;

/// The place of a process in a parallel job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JobPlace {
    /// Number of the process, from 0.
    pub(crate) rank: u64,
    /// Number of processes of the job.
    pub(crate) ranks: u64,
    /// Number of processes of the job on this machine; 1 if it is unknown.
    pub(crate) ranks_here: u64,
}

/// Variables with the rank, the number of ranks and the ranks on this machine: of Open MPI; of MPICH, Intel MPI and Slurm.
const VARIABLES: [[&str; 3]; 2] = [
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"],
    ["PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"],
];

/// Returns the names of the variables of this process that starters set: those above, and what MPI libraries need to join
/// a job.
pub(crate) fn variables() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        ["OMPI_", "PMI_", "PMIX_", "PRTE_", "MPI_LOCAL"].iter().any(|start| name.starts_with(start))
    })
}

/// Returns the place of this process in its job, by the variables that starters set; `None` if it was started alone.
pub(crate) fn place() -> Option<JobPlace> {
    place_by(|name| std::env::var(name).ok())
}

fn place_by(variable: impl Fn(&str) -> Option<String>) -> Option<JobPlace> {
    let number = |name: &str| variable(name)?.parse::<u64>().ok();
    VARIABLES.iter().find_map(|[rank, ranks, here]| {
        let ranks_here = number(here).unwrap_or(1);
        Some(JobPlace { rank: number(rank)?, ranks: number(ranks)?, ranks_here })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_read_from_the_variables_of_the_starter() {
        let place = |variables: &[(&str, &str)]| {
            let variables = variables.to_vec();
            place_by(move |name| {
                variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(place(&[]), None);
        let of_open_mpi = [
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
        ];
        assert_eq!(place(&of_open_mpi), Some(JobPlace { rank: 1, ranks: 4, ranks_here: 2 }));
        assert_eq!(
            place(&[("PMI_RANK", "0"), ("PMI_SIZE", "3")]),
            Some(JobPlace { rank: 0, ranks: 3, ranks_here: 1 })
        );
        assert_eq!(place(&[("PMI_RANK", "zero"), ("PMI_SIZE", "3")]), None);
    }
}
