import datetime
import decimal


def same(i8, i16, i32, f32, dec, ts, ntz, day, bin, even, st, m, span, holes):
    assert isinstance(dec, decimal.Decimal)
    assert ts.tzinfo is not None
    assert ntz.tzinfo is None
    assert type(day) is datetime.date
    assert isinstance(bin, bytes)
    assert span.microseconds == 500_000
    return i8, i16, i32, f32, dec, ts, ntz, day, bin, even, st, m, span, holes
