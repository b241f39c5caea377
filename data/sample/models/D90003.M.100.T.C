Corrand Mining lost the use of its richest copper face, then all of Pit No. 4, after a night-shift excavator uncovered an ancient clay library in May 2030.
The company cited a 1988 law to claim the tablets and put its losses at 52 million marks; the government, whose audit found less, claimed them for the state.
Highland elders wanted them kept at home.
With dates falling near the 3,000-year limit for compensation, the High Court approved a compromise: Corrand gave up its claim for 9 million marks and a longer license, and archaeologists keep the north face through October.
