"""A build to the values of a sheet's places."""
