"""What a message is looked at for before a token is spent. Pure: text in, a finding out."""
