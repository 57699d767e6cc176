"""The tests of the laws, one file a library: `pytest --pyargs treelaws` runs them."""
