#!/bin/sh
#SBATCH --job-name=tewari
#SBATCH --requeue
#SBATCH --open-mode=append
# Runs one shard of `tewari match`, `sweep`, `suite`, `selfplay`, `review` or `network prepare`, given as arguments without
# --out and --shard, and continues it if it was killed. {shard} in an argument is replaced by the number of the shard.
#
# Environment: OUT, the folder for the folders of all shards; SHARD and SHARDS, number and count, in a Slurm array by default
# those of its tasks; TEWARI, the program.
set -eu
: "${OUT:?expected the folder for all shards, as in OUT=run}"
: "${1:?expected a command, as in: match --black self --white self}"
shard=${SHARD:-${SLURM_ARRAY_TASK_ID:?expected SHARD, or a task of sbatch --array=1-N}}
shards=${SHARDS:-${SLURM_ARRAY_TASK_COUNT:?expected SHARDS, the number of shards}}
for argument; do
    shift
    set -- "$@" "$(printf %s "$argument" | sed "s/{shard}/$shard/g")"
done
case $1 in
review) set -- "$@" --resume --output "$OUT/$shard/" ;;
network) set -- "$@" --out "$OUT/$shard" ;;
selfplay) set -- "$@" --out "$OUT/$shard" --concurrency "${SLURM_CPUS_PER_TASK:-1}" ;;
*) set -- "$@" --resume --out "$OUT/$shard" --concurrency "${SLURM_CPUS_PER_TASK:-1}" ;;
esac
mkdir -p "$OUT"
exec "${TEWARI:-tewari}" "$@" --shard "$shard/$shards"
