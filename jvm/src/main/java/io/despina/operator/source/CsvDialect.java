package io.despina.operator.source;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Spark's CSV reader options, as far as lines must be told apart and the byte-level reader knows them.
 *
 * @param plain     whether the byte-level reader reads this dialect; else every line goes to Spark's parser
 * @param quote     NUL where the options ask for none, as in Spark
 * @param escape    or -1 for none, likewise {@code comment}
 * @param nullValue text that stands for NULL
 */
record CsvDialect(boolean plain, int separator, int quote, int escape, int comment, boolean header, byte[] nullValue,
        ZoneId zone) {
    static final int NONE = -1;
    /** Options that do not change what a plain line means under a given schema. */
    private static final Set<String> HARMLESS = Set.of("sep", "delimiter", "header", "quote", "escape", "nullvalue",
            "comment", "encoding", "charset", "timezone", "mode", "inferschema", "enforceschema", "samplingratio", "linesep",
            "emptyvalue", "nanvalue", "positiveinf", "negativeinf", "columnnameofcorruptrecord", "ignoreleadingwhitespace",
            "ignoretrailingwhitespace", "multiline");

    static CsvDialect of(Map<String, String> given, String timeZone) {
        Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        options.putAll(given);
        String sep = options.getOrDefault("sep", options.getOrDefault("delimiter", ","));
        int separator = oneAscii(sep.equals("\\t") ? "\t" : sep);
        String encoding = options.getOrDefault("encoding", options.getOrDefault("charset", "UTF-8"));
        boolean plain = separator != NONE && separator != '\r' && separator != '\n'
                && options.keySet().stream().allMatch(key -> HARMLESS.contains(key.toLowerCase(Locale.ROOT)))
                && encoding.toUpperCase(Locale.ROOT).replace("_", "-").matches("UTF-?8")
                && !flag(options, "ignoreLeadingWhiteSpace") && !flag(options, "ignoreTrailingWhiteSpace")
                && options.getOrDefault("nanValue", "NaN").equals("NaN")
                && options.getOrDefault("positiveInf", "Inf").equals("Inf")
                && options.getOrDefault("negativeInf", "-Inf").equals("-Inf")
                && (options.getOrDefault("lineSep", "\n").equals("\n"));
        String quoteText = options.getOrDefault("quote", "\"");
        int quote = quoteText.isEmpty() ? 0 : oneAscii(quoteText);
        int escape = oneAscii(options.getOrDefault("escape", "\\"));
        int comment = oneAscii(options.getOrDefault("comment", ""));
        plain &= quote != NONE && quote != separator && (comment == NONE || comment != quote);
        return new CsvDialect(plain, separator, quote, escape, comment, flag(options, "header"),
                options.getOrDefault("nullValue", "").getBytes(StandardCharsets.UTF_8),
                ZoneId.of(options.getOrDefault("timeZone", timeZone), ZoneId.SHORT_IDS));
    }

    private static boolean flag(Map<String, String> options, String name) {
        return options.getOrDefault(name, "false").equalsIgnoreCase("true");
    }

    private static int oneAscii(String text) {
        return text.length() == 1 && text.charAt(0) < 0x80 && text.charAt(0) != 0 ? text.charAt(0) : NONE;
    }

    /** Whether Spark passes over a line: blank, or a comment. */
    boolean skips(byte[] bytes, int from, int to) {
        return isBlank(bytes, from, to) || comment != NONE && bytes[from] == comment;
    }

    /** Whether Spark passes over a line before the header: there, blanks may stand before a comment. */
    boolean skipsBeforeHeader(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] >= 0 && bytes[at] <= ' ') {
            at++;
        }
        return at == to || comment != NONE && bytes[at] == comment;
    }

    private static boolean isBlank(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] >= 0 && bytes[at] <= ' ') {
            at++;
        }
        return at == to;
    }
}
