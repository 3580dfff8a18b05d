package io.despina.operator.record;

import java.time.LocalDate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes dates, and time stamps in UTC, with the common patterns of Spark, such as its default. */
final class TimePattern {
    static final String ZONED = "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]";
    static final String PLAIN = "yyyy-MM-dd'T'HH:mm:ss[.SSS]";
    private static final Pattern KNOWN =
            Pattern.compile("yyyy-MM-dd('T'| )HH:mm:ss(?:\\[\\.(S{1,6})]|\\.(S{1,6}))?(XXX|\\[XXX])?");
    private static final int MICRO_DIGITS = 6;
    private static final long SECOND = 1_000_000;
    private static final long DAY = 86_400 * SECOND;
    private static final int LAST_YEAR = 9999;

    private final char middle;
    private final int digits;
    private final long unit;
    private final boolean zone;
    private long cachedDay = Long.MIN_VALUE;
    private int year;
    private int month;
    private int day;

    private TimePattern(char middle, int digits, boolean zone) {
        this.middle = middle;
        this.digits = digits;
        this.zone = zone;
        long micros = 1;
        for (int k = digits; k < MICRO_DIGITS; k++) {
            micros *= 10;
        }
        unit = micros;
    }

    /** @return null if the pattern is not supported */
    static TimePattern of(String pattern) {
        Matcher known = KNOWN.matcher(pattern);
        if (!known.matches()) {
            return null;
        }
        String fraction = known.group(2) != null ? known.group(2) : known.group(3) != null ? known.group(3) : "";
        return new TimePattern(known.group(1).equals(" ") ? ' ' : 'T', fraction.length(), known.group(4) != null);
    }

    /** @return false, with nothing of worth written, if the year has not four digits */
    boolean date(long epochDay, LineBuffer out) {
        if (epochDay != cachedDay) {
            LocalDate date = LocalDate.ofEpochDay(epochDay);
            cachedDay = epochDay;
            year = date.getYear();
            month = date.getMonthValue();
            day = date.getDayOfMonth();
        }
        if (year < 1 || year > LAST_YEAR) {
            return false;
        }
        out.digits(year, 4);
        out.write('-');
        out.digits(month, 2);
        out.write('-');
        out.digits(day, 2);
        return true;
    }

    /** @return false, with nothing of worth written, if the year has not four digits */
    boolean timestamp(long micros, LineBuffer out) {
        long ofDay = Math.floorMod(micros, DAY);
        if (!date(Math.floorDiv(micros, DAY), out)) {
            return false;
        }
        long seconds = ofDay / SECOND;
        out.write(middle);
        out.digits(seconds / 3600, 2);
        out.write(':');
        out.digits(seconds / 60 % 60, 2);
        out.write(':');
        out.digits(seconds % 60, 2);
        if (digits > 0) {
            out.write('.');
            out.digits(ofDay % SECOND / unit, digits);
        }
        if (zone) {
            out.write('Z');
        }
        return true;
    }
}
