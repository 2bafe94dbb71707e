//! Runs the kernel: run tasks, timers, recovery, updates.
