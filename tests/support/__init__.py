"""What the tests share: the contract cases, and jobs and processes to try."""
