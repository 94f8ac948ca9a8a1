// Every page works without it.
