Stranded overnight on the rock where she grew up, Marit Oskell, 71, heard the call of a petrel last reliably recorded in 1957.
Her father had reported the birds to a museum in 1968 and been told they were a common species.
A former curator doubted her, then recanted when researchers caught adults and counted 19 nests, later corrected to 17.
Suspected egg theft brought police and more wardens in July, but two missing eggs had hatched in side tunnels and the third was infertile.
Fourteen chicks survive, while a wind farm waits on studies of the birds' flight.
