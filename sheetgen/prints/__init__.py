"""READ FIRST. One kind of print, one file: load, check, plan, render, finish, bytes."""
