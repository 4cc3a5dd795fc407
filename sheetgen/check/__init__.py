"""Character and ruleset to a build, with findings; one file a topic."""
