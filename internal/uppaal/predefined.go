package uppaal

// prelude declares what every model finds declared. A declaration of the model
// with the same name takes its place, so that models written for versions
// with and without predefined names are both accepted.
const prelude = `
const int INT8_MIN = -128;
const int INT8_MAX = 127;
const int UINT8_MAX = 255;
const int INT16_MIN = -32768;
const int INT16_MAX = 32767;
const int UINT16_MAX = 65535;
const int INT32_MIN = -2147483648;
const int INT32_MAX = 2147483647;
typedef int[-128,127] int8_t;
typedef int[0,255] uint8_t;
typedef int[-32768,32767] int16_t;
typedef int[0,65535] uint16_t;
typedef int[-2147483648,2147483647] int32_t;
`

// predefined are the names of prelude.
var predefined = wordSet(`
	INT8_MIN INT8_MAX UINT8_MAX INT16_MIN INT16_MAX UINT16_MAX INT32_MIN
	INT32_MAX int8_t uint8_t int16_t uint16_t int32_t`)

// absText declares the function abs, whose name is a keyword.
const absText = `int32_t ABS(const int x) { return x < 0 ? -x : x; }`

// doubleNames are the predefined floating-point constants.
var doubleNames = wordSet(`
	FLT_MIN FLT_MAX DBL_MIN DBL_MAX M_PI M_PI_2 M_PI_4 M_E M_LOG2E M_LOG10E
	M_LN2 M_LN10 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2`)
