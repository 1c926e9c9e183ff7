"""What middleware of every kind shares: a decision becomes a response, and what went wrong beneath is told from all else."""
