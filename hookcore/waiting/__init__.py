"""What a dispatch waits for: coroutines, threads, the loop in the background, a person."""
