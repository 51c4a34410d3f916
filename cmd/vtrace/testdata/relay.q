A[] not (Receiver(1).closed and total == 3)
