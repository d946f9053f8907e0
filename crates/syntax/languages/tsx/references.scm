; All of it is inherited.
