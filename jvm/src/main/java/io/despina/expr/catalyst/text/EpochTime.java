package io.despina.expr.catalyst.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import io.despina.expr.TextOptions;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Numbers that count a unit of time since 1970. */
public final class EpochTime {
    /** 0001-01-01T00:00:00Z, and the end of the year 9999. */
    private static final long LEAST = -62_135_596_800_000_000L;
    private static final long MOST = 253_402_300_799_999_999L;
    /** Digits before and behind the point: a number of more is none that counts time, and takes long to compute with. */
    private static final int DIGITS = 100;
    /** Of a microsecond. */
    private static final int NANOS_DIGITS = 3;

    private final TimeUnit unit;

    EpochTime(TimeUnit unit) {
        this.unit = unit;
    }

    /** The unit that options name. */
    public static TimeUnit unit(Map<String, String> options) {
        return TimeUnit.valueOf(options.getOrDefault(TextOptions.TIMESTAMP_UNIT, "seconds").toUpperCase(Locale.ROOT));
    }

    /**
     * The microseconds of the number at the parser, cut towards the past.
     *
     * @throws IllegalArgumentException if it is no time of the years 1 to 9999
     */
    long micros(JsonParser number) throws IOException {
        BigDecimal value = number.getDecimalValue();
        Long micros = micros(value, unit);
        if (micros == null) {
            TimeUnit finer = Arrays.stream(TimeUnit.values()).filter(u -> u.compareTo(unit) < 0 && micros(value, u) != null)
                    .reduce((a, b) -> b).orElse(null);
            throw new IllegalArgumentException("field `" + field(number) + "`: " + number.getText() + " "
                    + word(unit) + " since 1970 are no time of the years 1 to 9999" + (finer == null ? ""
                    : "; if they are " + word(finer) + ", add \"" + TextOptions.TIMESTAMP_UNIT + "\": \"" + word(finer) + "\""));
        }
        return micros;
    }

    /** The number's field, or that of the list that it is in. */
    private static String field(JsonParser number) {
        JsonStreamContext at = number.getParsingContext();
        while (!at.inObject()) {
            at = at.getParent();
        }
        return at.getCurrentName();
    }

    private static String word(TimeUnit unit) {
        return unit.name().toLowerCase(Locale.ROOT);
    }

    private static Long micros(BigDecimal value, TimeUnit unit) {
        if (value.precision() - (long) value.scale() > DIGITS || value.scale() > DIGITS) {
            return null;
        }
        BigDecimal micros = value.multiply(BigDecimal.valueOf(unit.toNanos(1))).movePointLeft(NANOS_DIGITS)
                .setScale(0, RoundingMode.FLOOR);
        boolean fits = micros.compareTo(BigDecimal.valueOf(LEAST)) >= 0 && micros.compareTo(BigDecimal.valueOf(MOST)) <= 0;
        return fits ? micros.longValue() : null;
    }
}
