"""The libraries under test: each file makes its subjects and states their claims."""
