//! Designs of the exchange: the receivers of each rank's increments, and what is sent.

use std::fmt;
use std::str::FromStr;
use tewari::engine::ranks;

/// The paths of increments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topology {
    /// Every rank sends to all others; nothing received is sent again. The design of the program.
    All,
    /// A tree with this number of children: a rank sends each neighbour what it has from all others, summed by position.
    Tree(usize),
    /// Groups of this size: members send to their leader, leaders to each other and to their members.
    Groups(usize),
}

/// A design of the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Design {
    /// The paths of increments.
    pub topology: Topology,
    /// Minimum visits of a position that is sent, see [`ranks::Outbox::new`].
    pub min_visits: u32,
    /// Time between rounds after the first, in milliseconds.
    pub interval: u64,
    /// Minimum visits of a position that the sender has evaluated.
    pub min_evaluated_visits: u32,
    /// Maximum deviation of a rank's exploration from the default, in per cent.
    pub spread: u32,
    /// Number of root moves, the best by policy, that take turns as the noise of a rank's root; 0: no noise.
    pub noise: u32,
}

/// Minimum visits and interval of the program.
const MIN_VISITS: u32 = 4;
const INTERVAL: u32 = ranks::INTERVAL.as_millis() as u32;

impl FromStr for Design {
    type Err = String;

    fn from_str(text: &str) -> Result<Design, String> {
        let error = || {
            format!(
                "{text}: expected all, treeF or groupsG, then :MIN_VISITS, :INTERVAL_MS, :MIN_EVALUATED_VISITS, :SPREAD, :NOISE"
            )
        };
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let number = |digits: &str| digits.parse().ok().filter(|it| *it > 0);
        let topology = match name {
            "all" => Some(Topology::All),
            _ => name
                .strip_prefix("tree")
                .and_then(number)
                .map(Topology::Tree)
                .or_else(|| name.strip_prefix("groups").and_then(number).map(Topology::Groups)),
        };
        let topology = topology.ok_or_else(error)?;
        let mut numbers = [MIN_VISITS, INTERVAL, 0, 0, 0];
        for (number, text) in numbers.iter_mut().zip(parts) {
            *number = text.parse().map_err(|_| error())?;
        }
        let [min_visits, interval, min_evaluated_visits, spread, noise] = numbers;
        let interval = interval.max(1).into();
        Ok(Design { topology, min_visits, interval, min_evaluated_visits, spread, noise })
    }
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.topology {
            Topology::All => f.write_str("all")?,
            Topology::Tree(children) => write!(f, "tree{children}")?,
            Topology::Groups(size) => write!(f, "groups{size}")?,
        }
        let Design { min_visits, interval, min_evaluated_visits, spread, noise, .. } = self;
        write!(f, ":{min_visits}:{interval}:{min_evaluated_visits}:{spread}:{noise}")
    }
}

/// Receivers of one and the same message of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The receivers.
    pub to: Vec<usize>,
    /// The ranks with increments that are sent on, beside the own ones.
    pub forwarded: Vec<usize>,
}

impl Topology {
    /// Returns the routes of a rank. Every rank gets the increments of every other on exactly one path.
    pub fn routes(self, rank: usize, ranks: usize) -> Vec<Route> {
        let without = |list: &[usize], one: usize| list.iter().copied().filter(|it| *it != one).collect();
        match self {
            Topology::All => {
                let to: Vec<usize> = (0..ranks).filter(|to| *to != rank).collect();
                if to.is_empty() { Vec::new() } else { vec![Route { to, forwarded: Vec::new() }] }
            }
            Topology::Tree(children) => {
                let parent = (rank > 0).then(|| (rank - 1) / children);
                let below = (children * rank + 1..=children * rank + children).filter(|it| *it < ranks);
                let neighbours: Vec<usize> = parent.into_iter().chain(below).collect();
                let route = |&to: &usize| Route { to: vec![to], forwarded: without(&neighbours, to) };
                neighbours.iter().map(route).collect()
            }
            Topology::Groups(size) => {
                let leader = rank - rank % size;
                if rank != leader {
                    return vec![Route { to: vec![leader], forwarded: Vec::new() }];
                }
                let members: Vec<usize> = (leader + 1..(leader + size).min(ranks)).collect();
                let leaders: Vec<usize> = (0..ranks).step_by(size).filter(|it| *it != leader).collect();
                let all: Vec<usize> = members.iter().chain(&leaders).copied().collect();
                let to_member = |&to: &usize| Route { to: vec![to], forwarded: without(&all, to) };
                let to_leaders = Route { to: leaders.clone(), forwarded: members.clone() };
                let to_leaders = Some(to_leaders).filter(|route| !route.to.is_empty());
                members.iter().map(to_member).chain(to_leaders).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times that each rank gets the increments of `origin`.
    fn copies(topology: Topology, ranks: usize, origin: usize) -> Vec<usize> {
        let routes: Vec<Vec<Route>> = (0..ranks).map(|rank| topology.routes(rank, ranks)).collect();
        let mut copies = vec![0; ranks];
        let mut open: Vec<(usize, usize)> =
            routes[origin].iter().flat_map(|route| &route.to).map(|&to| (origin, to)).collect();
        while let Some((from, rank)) = open.pop() {
            copies[rank] += 1;
            let onward = routes[rank].iter().filter(|route| route.forwarded.contains(&from));
            open.extend(onward.flat_map(|route| &route.to).map(|&to| (rank, to)));
        }
        copies
    }

    #[test]
    fn increments_reach_every_other_rank_once() {
        for text in ["all", "tree1", "tree2", "tree8", "groups1", "groups3", "groups8"] {
            let design: Design = text.parse().expect("a design");
            for ranks in [1, 2, 7, 20] {
                for origin in 0..ranks {
                    let expected: Vec<usize> = (0..ranks).map(|rank| usize::from(rank != origin)).collect();
                    assert_eq!(
                        copies(design.topology, ranks, origin),
                        expected,
                        "{text}, {origin} of {ranks}"
                    );
                }
            }
        }
    }
}
