#!/usr/bin/env bash
#SBATCH --job-name=load-people
#SBATCH --array=1-16
#SBATCH --requeue
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=256M
# One file, loaded by 16 tasks: each has a part of it (docs/scale.md). A task that is started again continues behind its last committed
# record. BULKLOAD_URL says where the server is.
exec bulkload import /data/people.csv --table people --no-multiline --retry-for 30m \
  --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
