package io.despina.asking;

import io.despina.operator.Reason;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * The value of a cursor in one record.
 *
 * @param text as the server writes it, and as it is asked for
 * @param key  what is compared: a number, an instant or the text
 */
record CursorValue(String text, Comparable<?> key) {
    private static final int MOST_DIGITS = 100;
    /** Characters of a value: it goes into URLs. */
    private static final int MOST = 1_000;
    private static final int SHOWN = 100;

    /** As what values are compared. */
    enum CursorKind {
        NUMBER, TIME, TEXT
    }

    /** @return null if the text is no value of that kind */
    static CursorValue of(String text, CursorKind kind) {
        if (text.length() > MOST) {
            return null;
        }
        Comparable<?> key = switch (kind) {
            case TEXT -> text;
            case NUMBER -> number(text);
            case TIME -> {
                BigDecimal number = number(text);
                yield number == null ? instant(text) : number;
            }
        };
        return key == null ? null : new CursorValue(text, key);
    }

    /** A value, also one that is none, as messages show it. */
    static String shown(String text) {
        return Reason.visible(Reason.shortened(text, SHOWN));
    }

    String shown() {
        return shown(text);
    }

    private static BigDecimal number(String text) {
        try {
            BigDecimal number = text.length() <= MOST_DIGITS ? new BigDecimal(text) : null;
            return number == null || Math.abs((long) number.scale()) > MOST_DIGITS ? null : number;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** A time without an offset counts as UTC: only the order matters. */
    private static Instant instant(String text) {
        String iso = text.length() > "2026-01-01".length() ? text.replace(' ', 'T') : text + "T00:00";
        try {
            return OffsetDateTime.parse(iso).toInstant();
        } catch (DateTimeException withoutOffset) {
            try {
                return LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC);
            } catch (DateTimeException e) {
                return null;
            }
        }
    }

    boolean isLike(CursorValue other) {
        return key.getClass() == other.key.getClass();
    }

    /** By value; those that it is not like come before or after all others. */
    int compareTo(CursorValue other) {
        if (!isLike(other)) {
            return key.getClass().getName().compareTo(other.key.getClass().getName());
        }
        if (key instanceof BigDecimal number) {
            return number.compareTo((BigDecimal) other.key);
        }
        return key instanceof Instant instant ? instant.compareTo((Instant) other.key)
                : ((String) key).compareTo((String) other.key);
    }
}
