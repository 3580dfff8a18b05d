package io.despina.descriptor;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An amount with a unit, such as {@code 10s}, given to a field that has the unit in its name and takes a plain number. */
final class Amount {
    private static final Pattern WRITTEN = Pattern.compile("\\s*([0-9]+(?:\\.[0-9]+)?)\\s*([a-z/ ]+?)\\s*",
            Pattern.CASE_INSENSITIVE);
    private static final Map<String, Map<String, String>> UNITS = Map.of(
            "_ms", Map.ofEntries(
                    Map.entry("us", "0.001"), Map.entry("ms", "1"), Map.entry("s", "1000"), Map.entry("sec", "1000"),
                    Map.entry("second", "1000"), Map.entry("m", "60000"), Map.entry("min", "60000"), Map.entry("minute", "60000"),
                    Map.entry("h", "3600000"), Map.entry("hour", "3600000"), Map.entry("d", "86400000"),
                    Map.entry("day", "86400000")),
            "_bytes", Map.of("b", "1", "byte", "1", "k", "1024", "kb", "1024", "kib", "1024", "m", "1048576", "mb", "1048576",
                    "mib", "1048576", "g", "1073741824", "gb", "1073741824"),
            "_per_s", Map.of("/s", "1", "per s", "1", "per second", "1", "k/s", "1000", "khz", "1000", "hz", "1"));

    private Amount() {
    }

    /** {@code text} as a number in that field's unit; null if it is no amount, or the field has no unit. */
    static String number(String field, String text) {
        Matcher written = WRITTEN.matcher(text);
        String suffix = UNITS.keySet().stream().filter(field::endsWith).findFirst().orElse(null);
        if (suffix == null || !written.matches()) {
            return null;
        }
        String unit = written.group(2).toLowerCase(Locale.ROOT);
        String factor = UNITS.get(suffix).getOrDefault(unit, UNITS.get(suffix).get(singular(unit)));
        return factor == null ? null : new BigDecimal(written.group(1)).multiply(new BigDecimal(factor), MathContext.DECIMAL64)
                .stripTrailingZeros().toPlainString();
    }

    private static String singular(String unit) {
        return unit.endsWith("s") ? unit.substring(0, unit.length() - 1) : unit;
    }

    /** A hint; null if {@code text} is no amount in that field's unit. */
    static String hint(String field, String text) {
        String number = number(field, text);
        return number == null ? null : text.strip() + " is " + number;
    }
}
