package io.despina.operator.record.csv;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Spark's CSV reader options, as far as finding lines and the byte-level reader need them.
 *
 * @param plain     whether the byte-level reader reads this dialect; else every line goes to Spark's parser
 * @param byPlace   the header's names do not matter, as with Spark's {@code enforceSchema}; else they must equal the schema's
 * @param comment   the beginning of comment lines; empty for none
 * @param nullValue text that stands for NULL
 */
public record CsvDialect(boolean plain, Marks marks, byte[] comment, boolean header, boolean byPlace,
        byte[] nullValue, ZoneId zone) {

    /**
     * The characters with a meaning.
     *
     * @param quote  NUL where the options ask for none, as in Spark
     * @param escape or -1 for none
     */
    public record Marks(int separator, int quote, int escape) {
    }

    static final int NONE = -1;
    /** Options that do not change the meaning of a plain line under a given schema, at least with the values allowed below. */
    private static final Set<String> HARMLESS = Set.of("sep", "delimiter", "header", "quote", "escape", "nullvalue",
            "comment", "encoding", "charset", "timezone", "mode", "inferschema", "enforceschema", "linesep", "emptyvalue",
            "nanvalue", "positiveinf", "negativeinf", "columnnameofcorruptrecord", "ignoreleadingwhitespace",
            "ignoretrailingwhitespace", "multiline");
    private static final List<String> FLAGS = List.of("header", "inferSchema", "enforceSchema", "ignoreLeadingWhiteSpace",
            "ignoreTrailingWhiteSpace", "multiLine");

    public static CsvDialect of(Map<String, String> given, String timeZone) {
        Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        options.putAll(given);
        String sep = options.getOrDefault("sep", options.getOrDefault("delimiter", ","));
        int separator = oneAscii(sep.equals("\\t") ? "\t" : sep);
        String encoding = options.getOrDefault("encoding", options.getOrDefault("charset", "UTF-8"));
        boolean plain = separator != NONE && separator != '\r' && separator != '\n' && !sep.equals("\\")
                && options.keySet().stream().allMatch(key -> HARMLESS.contains(key.toLowerCase(Locale.ROOT)))
                && encoding.equalsIgnoreCase("UTF-8") && FLAGS.stream().allMatch(name -> isFlag(options.get(name)))
                && !flag(options, "ignoreLeadingWhiteSpace") && !flag(options, "ignoreTrailingWhiteSpace")
                && options.getOrDefault("nanValue", "NaN").equals("NaN")
                && options.getOrDefault("positiveInf", "Inf").equals("Inf")
                && options.getOrDefault("negativeInf", "-Inf").equals("-Inf")
                && (options.getOrDefault("lineSep", "\n").equals("\n"));
        String quoteText = options.getOrDefault("quote", "\"");
        int quote = quoteText.isEmpty() ? 0 : oneAscii(quoteText);
        String escapeText = options.getOrDefault("escape", "\\");
        int escape = oneAscii(escapeText);
        String comment = options.getOrDefault("comment", "");
        plain &= quote != NONE && quote != separator && (escape != NONE || escapeText.isEmpty() || escapeText.equals("\0"))
                && comment.length() <= 1 && (comment.isEmpty() || !comment.equals(quoteText));
        return new CsvDialect(plain, new Marks(separator, quote, escape), bytes(comment, charset(encoding)),
                flag(options, "header"), flag(options, "enforceSchema"),
                options.getOrDefault("nullValue", "").getBytes(StandardCharsets.UTF_8),
                ZoneId.of(options.getOrDefault("timeZone", timeZone), ZoneId.SHORT_IDS));
    }

    /** The charset of that name; any charset for a name that Spark refuses. */
    private static Charset charset(String name) {
        try {
            return Charset.forName(name);
        } catch (IllegalArgumentException unknown) {
            return StandardCharsets.UTF_8;
        }
    }

    /** The text in a charset; empty if the charset cannot encode it, because then no line can contain it. */
    private static byte[] bytes(String text, Charset charset) {
        return charset.newEncoder().canEncode(text) ? text.getBytes(charset) : new byte[0];
    }

    private static boolean flag(Map<String, String> options, String name) {
        return options.getOrDefault(name, "false").equalsIgnoreCase("true");
    }

    /** Whether Spark reads the text as true or false; null stands for the default. */
    private static boolean isFlag(String text) {
        return text == null || text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false");
    }

    private static int oneAscii(String text) {
        return text.length() == 1 && text.charAt(0) < 0x80 && text.charAt(0) != 0 ? text.charAt(0) : NONE;
    }

    /** Whether Spark skips the line, even before the header: blank lines and comments. */
    public boolean skips(byte[] bytes, int from, int to) {
        return isBlank(bytes, from, to) || comment.length > 0 && to - from >= comment.length
                && Arrays.equals(bytes, from, from + comment.length, comment, 0, comment.length);
    }

    /** The cells of a line in which only separators are special; null for any other line. */
    public String[] plainCells(byte[] bytes, int from, int to) {
        if (!plain) {
            return null;
        }
        for (int at = from; at < to; at++) {
            byte b = bytes[at];
            if (b == marks.quote || b == marks.escape || b >= 0 && b < ' ' && b != marks.separator) {
                return null;
            }
        }
        String text = new String(bytes, from, to - from, StandardCharsets.UTF_8);
        String[] cells = text.split(Pattern.quote(Character.toString(marks.separator)), -1);
        return Arrays.stream(cells).noneMatch(String::isEmpty) ? cells : null;
    }

    private static boolean isBlank(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] >= 0 && bytes[at] <= ' ') {
            at++;
        }
        return at == to;
    }
}
