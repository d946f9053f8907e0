; Data refers to nothing in a way that all files of the format share.
