"""The fixed table of unit names: symbol, factor to SI, dimensions, whether prefixes apply, and written names.

Sources: SI Brochure 9th edition (2019) for SI and accepted units, CODATA 2018 for eV, u and constants, NIST SP 811
for customary units, IAU 2015 resolution B3 for the solar mass. Factors are exact where the definition is. The tests
check every entry that Pint also knows against Pint.

A name may stand for several units (``g``: gram or standard gravity); a comparison then tries each.
"""

from __future__ import annotations

# name(s) | factor | dimensions | "p" if SI prefixes apply to the symbols
TABLE = """
m | 1 | m | p
meter metre meters metres | 1 | m | w
g | 1/1000 | kg | p
gram grams gramme grammes | 1/1000 | kg | w
s sec | 1 | s | p
second seconds secs | 1 | s | w
A amp amps | 1 | A | p
ampere amperes | 1 | A | w
K | 1 | K | p
kelvin kelvins | 1 | K | w
mol | 1 | mol | p
mole moles | 1 | mol | w
cd | 1 | cd | p
candela | 1 | cd | w
Hz | 1 | s^-1 | p
hertz | 1 | s^-1 | w
N | 1 | kg m s^-2 | p
newton newtons Newton Newtons | 1 | kg m s^-2 | w
Pa | 1 | kg m^-1 s^-2 | p
pascal pascals | 1 | kg m^-1 s^-2 | w
J | 1 | kg m^2 s^-2 | p
joule joules Joule Joules | 1 | kg m^2 s^-2 | w
W | 1 | kg m^2 s^-3 | p
watt watts Watt Watts | 1 | kg m^2 s^-3 | w
C | 1 | A s | p
coulomb coulombs | 1 | A s | w
V | 1 | kg m^2 s^-3 A^-1 | p
volt volts Volt Volts | 1 | kg m^2 s^-3 A^-1 | w
F | 1 | kg^-1 m^-2 s^4 A^2 | p
farad farads | 1 | kg^-1 m^-2 s^4 A^2 | w
Omega ohm ohms Ohm Ohms | 1 | kg m^2 s^-3 A^-2 | pw
S | 1 | kg^-1 m^-2 s^3 A^2 | p
siemens | 1 | kg^-1 m^-2 s^3 A^2 | w
Wb | 1 | kg m^2 s^-2 A^-1 | p
weber webers | 1 | kg m^2 s^-2 A^-1 | w
T | 1 | kg s^-2 A^-1 | p
tesla teslas | 1 | kg s^-2 A^-1 | w
H | 1 | kg m^2 s^-2 A^-2 | p
henry henries henrys | 1 | kg m^2 s^-2 A^-2 | w
lm lumen lumens | 1 | cd | p
lx lux | 1 | cd m^-2 | p
Bq | 1 | s^-1 | p
Gy | 1 | m^2 s^-2 | p
Sv | 1 | m^2 s^-2 | p
kat | 1 | mol s^-1 | p
rad radian radians | 1 | | p
sr steradian steradians | 1 | |
deg degree degrees | 0.017453292519943295769236907684886127 | |
arcmin arcminute arcminutes | 0.00029088820866572159615394846141476879 | |
arcsec arcsecond arcseconds | 0.0000048481368110953599358991410235794798 | |
rev revolution revolutions turn turns | 6.2831853071795864769252867665590057684 | |
rpm RPM | 0.10471975511965977461542144610931676281 | s^-1 |
min minute minutes mins | 60 | s |
h hr hrs hour hours | 3600 | s |
d day days | 86400 | s |
week weeks wk | 604800 | s |
yr year years y | 31557600 | s | p
L l | 1/1000 | m^3 | p
liter liters litre litres | 1/1000 | m^3 | w
cc | 1/1000000 | m^3 |
t tonne tonnes | 1000 | kg | p
ha hectare hectares | 10000 | m^2 |
eV | 1.602176634e-19 | kg m^2 s^-2 | p
u amu Da dalton daltons | 1.66053906660e-27 | kg | p
AA angstrom angstroms Angstrom Angstroms | 1e-10 | m |
micron microns | 1e-6 | m |
b barn barns | 1e-28 | m^2 | p
bar bars | 100000 | kg m^-1 s^-2 | p
atm atmosphere atmospheres | 101325 | kg m^-1 s^-2 |
mmHg torr Torr | 133.322387415 | kg m^-1 s^-2 |
cal calorie calories | 4.184 | kg m^2 s^-2 | p
Btu BTU | 1055.05585262 | kg m^2 s^-2 |
Wh | 3600 | kg m^2 s^-2 | p
hp horsepower | 745.69987158227022 | kg m^2 s^-3 |
erg ergs | 1e-7 | kg m^2 s^-2 |
dyn dyne dynes | 1e-5 | kg m s^-2 |
G gauss Gauss | 1e-4 | kg s^-2 A^-1 | p
Oe oersted | 79.577471545947667884 | A m^-1 |
P poise | 1/10 | kg m^-1 s^-1 | p
D debye | 3.33564095198152e-30 | A s m | p
in inch inches | 0.0254 | m |
ft foot feet | 0.3048 | m |
yd yard yards | 0.9144 | m |
mi mile miles | 1609.344 | m |
nmi | 1852 | m |
au AU | 149597870700 | m |
pc parsec parsecs | 30856775814913672.789 | m | p
ly lightyear lightyears | 9460730472580800 | m | p
mph | 0.44704 | m s^-1 |
kph kmh | 5/18 | m s^-1 |
knot knots kn kt | 463/900 | m s^-1 |
lb lbs lbm pound pounds | 0.45359237 | kg |
lb lbs lbf pound pounds | 4.4482216152605 | kg m s^-2 |
kip kips | 4448.2216152605 | kg m s^-2 |
klb | 4448.2216152605 | kg m s^-2 |
oz ounce ounces | 0.028349523125 | kg |
slug slugs | 14.593902937206 | kg |
psi | 6894.757293168361 | kg m^-1 s^-2 |
ksi | 6894757.293168361 | kg m^-1 s^-2 |
gal gallon gallons | 0.003785411784 | m^3 |
qt quart quarts | 0.000946352946 | m^3 |
mpg | 425143.70743 | m^-2 |
degC Celsius celsius centigrade | 1 | K | o273.15
degF Fahrenheit fahrenheit | 5/9 | K | o459.67
degR Rankine | 5/9 | K |
g gee gees | 9.80665 | m s^-2 |
M molar | 1000 | mol m^-3 | p
Msun M_odot solarmass solarmasses | 1.988409870698051e30 | kg |
Lsun L_odot | 3.828e26 | kg m^2 s^-3 |
Rsun R_odot | 6.957e8 | m |
bit bits | 1 | bit | p
b | 1 | bit | p
bps | 1 | bit s^-1 | p
B byte bytes | 8 | bit | p
bp | 1 | bp | p
baud Bd | 1 | s^-1 | p
dB decibel decibels | 1 | dB |
dBm | 1 | dBm |
dBi | 1 | dBi |
pH | 1 | |
Np | 1 | Np |
percent pct | 1/100 | |
permille | 1/1000 | |
ppm | 1e-6 | |
ppb | 1e-9 | |
dollar dollars USD usd | 1 | USD |
cent cents | 1/100 | USD |
euro euros EUR | 1 | EUR |
pounds GBP | 1 | GBP |
yuan RMB CNY | 1 | CNY |
yen JPY | 1 | JPY |
pu times dimensionless unitless | 1 | |
unit units | 1 | unit |
mu | 1 | mapunit |
cM centimorgan centimorgans | 1 | mapunit |
px pixel pixels | 1 | px |
electron electrons proton protons photon photons neutron neutrons particle particles | 1 | |
person persons people | 1 | |
packet packets | 1 | |
sample samples | 1 | |
"""

PREFIXES = {
    "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1, "d": -1, "c": -2, "m": -3,
    "mu": -6, "u": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21,
}  # fmt: skip

PREFIX_WORDS = {
    "tera": 12, "giga": 9, "mega": 6, "kilo": 3, "hecto": 2, "deca": 1, "deci": -1, "centi": -2, "milli": -3,
    "micro": -6, "nano": -9, "pico": -12, "femto": -15, "atto": -18,
}  # fmt: skip
