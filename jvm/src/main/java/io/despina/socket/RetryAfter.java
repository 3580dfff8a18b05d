package io.despina.socket;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.TimeUnit;

/** How long a server wants to be left alone (RFC 9110, 10.2.3). */
public final class RetryAfter {
    private RetryAfter() {
    }

    /** Nanoseconds by the header {@code Retry-After}; 0 if it does not say. A date counts from the server's own. */
    public static long nanos(HttpHeaders headers) {
        String after = headers.firstValue("Retry-After").orElse("0").strip();
        if (after.matches("\\d{1,9}")) {
            return TimeUnit.SECONDS.toNanos(Long.parseLong(after));
        }
        try {
            Duration until = Duration.between(date(headers.firstValue("Date").orElse("")), date(after));
            return TimeUnit.SECONDS.toNanos(Math.max(0, until.toSeconds()));
        } catch (DateTimeException noDate) {
            return 0;
        }
    }

    private static ZonedDateTime date(String text) {
        return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME);
    }
}
