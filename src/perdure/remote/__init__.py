"""What adapters of remote services share: waiting between tries, clients per loop, failures."""
