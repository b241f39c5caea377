"""Three invented long documents: minutes with an agenda, a report with chapters, an essay."""

from __future__ import annotations

MINUTES = """Minutes of the Parish Council of Pell Crossing

1. Opening

The chair opened the meeting of the council at seven in the evening and welcomed eleven members of
the public. The minutes of the meeting in March were read and approved without changes. Two members
of the council were absent because of the storm. The clerk recorded that the council could decide
with nine members present. The chair reminded all speakers of the limit of three minutes.

2. Repair of the dam

The engineer reported that the dam above the village has three cracks that grew over the winter.
Repair would cost the council about ninety thousand crowns and take eleven weeks. The council voted
seven to two to begin the repair of the dam in June. Members asked whether the road to the dam can
carry the lorries. The engineer will test the road before the end of April.

3. School bus

Parents told the council that the school bus has come late on most days since January. The bus
company blamed the bridge, which lorries share with the bus. The council decided to ask for a second
school bus from September. Members agreed that the village would pay a third of its cost. The clerk
will write to the bus company this week.

4. Library roof

The librarian showed pictures of the wet shelves under the library roof. Forty books were lost to
the rain in February alone. The council set aside twelve thousand crowns for a new library roof.
Volunteers offered to carry the books to the school hall during the work. The roofer promised the
council to finish within ten days.

5. Summer market

The market committee proposed to move the summer market from the square to the meadow. Traders
feared that fewer visitors would find the meadow. The council agreed to try the meadow for one
summer and to count the visitors. Members wanted the market to end at four so that the bus can pass.
The committee will print a map for visitors.

6. Close

The chair thanked the members of the public for their questions about the dam and the bus. The
council will meet again on the second Tuesday of May in the school hall. The meeting of the council
closed at half past nine. The clerk will send the minutes to every house in the village.
"""

REPORT = """Water for the Hill Towns: Report of the Commission

Introduction

The commission was asked to find out why the hill towns run short of water every summer. Four towns
with thirty thousand people depend on one reservoir in the hills. Members of the commission visited
every pumping station in the towns between March and July. Engineers, farmers and mayors of the
towns gave evidence to the commission. The commission paid most attention to leaks, farms and
prices.

Chapter 1: The reservoir

The reservoir was built sixty years ago for half as many people as live in the towns today. Mud has
filled a fifth of the reservoir and nobody has removed any of it. Summer rain has fallen by a tenth
in thirty years. The reservoir is empty by the middle of August in two years out of three. Raising
the wall would cost more than all other measures together. Dredging the mud would bring back water
for six thousand people.

Chapter 2: The pipes

Pipes under the four towns lose a third of the water that leaves the reservoir. Most leaks were
found in iron pipes that are older than the reservoir. Repair crews in the towns reach a leak after
nine days on average. Pipes of plastic laid since 1990 lose almost no water. Replacing the iron
pipes would take twelve years with the crews that the towns have. Night pressure could be lowered at
once and would save a tenth of the loss.

Chapter 3: The farms

Farms in the valley take water from the reservoir under rights that are a century old. Farmers flood
their orchards because the rights count hours and not water. Orchards with drip lines need half of
the water of flooded ones. Twelve farms have put in drip lines with help from the province. Farmers
told the commission that they would sell water to the towns if the law let them. Meters on farms
would cost the towns little.

Chapter 4: The prices

Water in the hill towns costs the same for the first litre and the last. Families in the towns use
less water than families in the capital. Hotels in the towns use a quarter of all water in August. A
price that rises with use would lower the demand in summer by an eighth. Mayors fear that higher
prices would drive hotels to the coast. The commission found no town where that has happened.

Conclusion

The commission recommends that the towns repair the iron pipes first, since leaks cost more water
than all hotels use. Drip lines on farms should follow, paid for by the towns in return for water.
Prices should rise with use in the summer months alone. Dredging the reservoir can wait until the
pipes are sound. The towns need one water board instead of four, or none of this will be done.
"""

_ESSAY = [
    "Walking to work is the habit that changed my life more than any other.",
    "The road to the mill is four miles long and crosses the river twice.",
    "Neighbours who drive the same road have never seen the heron under the bridge.",
    "Walking makes a road long enough to think on.",
    "A problem that sat on my desk for a week dissolves between the first bridge and the second.",
    "Philosophers have always known that walking loosens thought.",
    "Doctors have learned it more slowly and with more charts.",
    "Shoes are the only tool that a walker needs, and good shoes last for years.",
    "My grandfather walked to the same mill for forty years in boots that he greased every Sunday.",
    "Rain is no argument against walking, because a wet coat dries.",
    "Snow turns the road into a page on which foxes have written all night.",
    "Children in our village used to walk to school along the river.",
    "Parents now drive their children over the bridge for fear of the other cars.",
    "Cars make the road dangerous, and the danger fills the road with cars.",
    "Villages that closed one road to cars have broken that circle.",
    "Old people in such villages sit on benches where lorries used to pass.",
    "Shops gain from walkers, who stop, and lose from drivers, who cannot.",
    "A walker spends less at one time but comes back every day.",
    "Figures from three towns show that shops on roads without cars sell more.",
    "Planners still count cars because cars are easy to count.",
    "Nobody counts the talk between two walkers who meet on a bridge.",
    "Friendship in a village is made of such meetings on the road.",
    "My oldest friend and I met because both of us walked to the mill in the rain.",
    "Drivers greet each other with one finger from the wheel.",
    "Time is what drivers say they save, and they spend it in gyms.",
    "Walking four miles takes an hour that nobody has to find elsewhere.",
    "Health returns to walkers without a plan or a fee.",
    "Sleep comes early after a day with eight miles in it.",
    "Weather becomes a companion instead of a nuisance behind glass.",
    "Seasons arrive one by one along the river, first the willows and then the swifts.",
    "Maps on telephones show walkers the shortest road and never the best.",
    "Strangers ask a walker for the way and get a story with it.",
    "Thinking and walking keep the same pace, which is about three miles an hour.",
    "Writers from the hills composed whole books on the road to market.",
    "Machines will soon drive people who could have walked.",
    "Cities that plant trees along their roads win back walkers within a year.",
    "Benches matter more than asphalt for old walkers.",
    "Every village should keep one road along its river for walkers alone.",
    "Walking asks for nothing but an hour and gives back the road, the river and the day.",
    "Tomorrow I will cross both bridges again and look for the heron.",
]
ESSAY = "\n\n".join(" ".join(_ESSAY[i : i + 5]) for i in range(0, len(_ESSAY), 5))
