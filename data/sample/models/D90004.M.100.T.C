Families from Pell Crossing, Lower Ansby and eastern Marrowby spent up to ten days in schools, barns and relatives' homes after the Tarn Gate Dam's spillway cracked in heavy rain.
Some never heard a siren, though the utility said all had sounded.
Provincial engineer Mira Castellan and her crews, helped by troops, divers and helicopters, drained enough of the lake to absorb a second storm, and the river peaked just under Marrowby's levees.
Releases flooded over 200 houses.
A bus passenger, a soldier and a woman cleaning up died, and residents returned to mud and a quarrel over old warnings.
