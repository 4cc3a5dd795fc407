"""Books and tables of rows in object stores: copied to this machine, then read like others."""
