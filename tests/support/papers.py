"""An invented research paper as plain text, and its parts."""

from __future__ import annotations

ABSTRACT = (
    "We present a method that forecasts the height of small rivers from the sound of the water. "
    "The method needs one cheap microphone and no camera. "
    "On eleven rivers it halves the error of the best gauge that costs the same."
)

PAPER = f"""Listening to Rivers: Forecasting Floods from Sound

Ada Quill and Tomas Berend
Department of Hydrology, University of Lannick
{{quill,berend}}@hydro.lannick.example

Abstract

{ABSTRACT}

1 Introduction

Floods on small rivers arrive within the hour, and most small rivers have no gauge at all. A gauge costs more
than a village can pay (Quill, 2011; Marsh and Odell, 2014). Sound travels far and a microphone is cheap.

Figure 1: The microphone under the bridge of Pell Crossing, seen from the north bank.

2 Method

Each recording is cut into windows of ten seconds, and each window is turned into a spectrum. A linear model
maps the spectrum to the height of the water. The height h at time t is given below.

h t = w 0 + w 1 s 1 t + w 2 s 2 t + e t .

Table 2: Mean error in centimetres for the eleven rivers of the study.

Ostrey 12.4 9.1 8.8 7.0 6.1 5.5 4.9 4.2 .

3 Conclusion

Sound alone tells the height of a small river to within a hand. The next step is to leave the microphones
in place over a whole winter. The authors of this paper hope that villages will build their own.

Acknowledgements

We are grateful to the fire brigade of Pell Crossing for letting us hang microphones under their bridge.
The children of the village counted fish for us while we were waiting for rain.

References

Quill, A. 2011. The price of a gauge on a small river. Journal of Village Hydrology, 4(2):11-29.

Marsh, P. and Odell, R. 2014. What villages can pay for safety in a wet year. In Proceedings of the Third
Conference on Small Rivers, pages 101-109, Medrin.

Berend, T. 2009. Microphones and how to keep them dry under every bridge. Ph.D. thesis, University of Lannick.
"""
