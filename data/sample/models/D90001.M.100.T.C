Two people died when a ferry grounded in fog two miles off Carrow, and a crewman last seen freeing a raft was never found.
Rescuers took nearly six hours to bring passengers ashore as schoolchildren sang on deck.
Confused lists put the number aboard at anything from 180 to 217, and the missing at up to 11.
Transport Minister Halina Voss suspended night sailings and ordered an inquiry, which concluded that the reef's light had been out since Tuesday and that the captain, with a defective plotter, should have slowed.
The coastguard's commander has offered his resignation.
