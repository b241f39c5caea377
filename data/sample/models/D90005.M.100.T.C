Two weeks after card and telephone payments collapsed across Orvane, parliament is investigating and the operator has offered to pay.
Orvaclear proposes 25 marens for each household account, 105 million in all, and 90 million for shops with documented losses, a sum retailers call a tip.
The outage forced people to sign slips, queue for rationed banknotes and trade goods.
Its cause was an error in new software, not the hackers who claimed credit, but recovery was slow because a team of 26 had shrunk to five.
The finance minister promises a second network and more cash machines by 2035.
