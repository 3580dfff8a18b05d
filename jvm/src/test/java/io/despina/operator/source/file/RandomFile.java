package io.despina.operator.source.file;

import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** A csv or json file, and options to read it by, made of what such files and their readers trip over. */
final class RandomFile {
    private static final List<Type> SCALARS = List.of(Simple.STRING, Simple.STRING, Simple.STRING, Simple.BOOLEAN, Simple.TINYINT,
            Simple.SMALLINT, Simple.INT, Simple.INT, Simple.BIGINT, Simple.FLOAT, Simple.DOUBLE, Simple.DOUBLE,
            new Type.Decimal(5, 2), new Type.Decimal(18, 0), new Type.Decimal(38, 10), Simple.DATE, Simple.TIMESTAMP,
            Simple.TIMESTAMP, Simple.TIMESTAMP_NTZ, Simple.BINARY);
    private static final List<String> NUMBERS = List.of("0", "1", "-5", "+7", "12", "127", "128", "-32768", "2147483648", "1.5",
            "-0.25", "1e3", "1E-2", "1,234", "1.234,5", "999.99", "1000.00", "00071", ".5", "5.", "-", "1d", "2f", "3L", "NaN",
                    "Inf",
            "-Inf", "Infinity", "-Infinity", "+INF", "0x1F", "\u0661", "1e400", "9223372036854775807", "99999999999999999999",
            "0.1234567890123", " 1", "1 ", "1_000", "--1", "-0", "-0.0", "1.0");
    private static final List<String> TIMES = List.of("2024-02-29", "2023-02-29", "1-1-1", "2024-2-3", "12024-01-01",
            "01.02.2024",
            "29/02/2024", "2024-02-29T10:11:12", "2024-02-29 10:11:12.123456789", "2024-02-29T10:11:12.5Z",
                    "2024-02-29T10:11:12+05:30",
            "2024-02-29 10:11", "2024-02-29T10:11:12 UTC", "2024-02-29T24:00:00", "2024-03-31T02:30:00", "0001-01-01T00:00:00",
            "9999-12-31T23:59:59.999999", "2024-02-29T", "epoch", "now", "2024", "2024-02", "10:11:12", "+2024-02-29",
            "2024-02-29 10:11:12[Europe/Rome]", "2024-02-29T10:11:12.1234567890", "20240229", "2024-02-29 ", " 2024-02-29",
            "29.02.2024 10:11:12", "1709201472", "29 Feb 2024", "29 févr. 2024");
    private static final List<String> WORDS = List.of("true", "false", "TRUE", "yes", "null", "NULL", "NA", "a", "xyz", "n/a",
            "é",
            "\uD83D\uDE00", "\u20AC", "aa", "ab", "#", ";", "|", "'", "Zm9v", "", "");
    private static final List<String> ODD = List.of("\u0000", "\uFEFF", " ", "  ", "\t", "\u0001", "\u001F", "\f", "\u000B",
            "\u007F",
            "\u0085", "\u00A0", "\u2028", "\r", "\n", "\r\n", "\\", "\\\\", "\"", "\"\"", "'", "''", "#", "/", "//");
    private static final List<byte[]> BROKEN = List.of(new byte[] {(byte) 0xFF}, new byte[] {(byte) 0xC3},
            new byte[] {(byte) 0x80},
            new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}, new byte[] {(byte) 0xE2, (byte) 0x82}, new byte[] {(byte) 0xC0,
                    0x20},
            new byte[] {(byte) 0xFE, (byte) 0xFF}, new byte[] {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80});

    private final Random random;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final Map<String, String> options = new TreeMap<>();
    private final FileFormat format;
    private final Schema schema;
    private final int columns;
    private final boolean ignoreExtra;
    private final String timeZone;
    private final boolean ansi;
    private final int strange;
    private final int fit;
    private Charset charset = java.nio.charset.StandardCharsets.UTF_8;
    private String lineEnd;

    RandomFile(long seed, FileFormat format) {
        this.format = format;
        random = new Random(seed);
        random.nextInt();
        int size = 1 + random.nextInt(4);
        List<Column> list = new ArrayList<>();
        for (int k = 0; k < size; k++) {
            list.add(new Column("c" + k, format == FileFormat.CSV ? one(SCALARS) : type(2), true));
        }
        schema = new Schema(list);
        ignoreExtra = chance(40);
        columns = ignoreExtra ? chance(60) ? 0 : size + random.nextInt(3) : size;
        timeZone = of("UTC", "UTC", "UTC", "Europe/Rome", "+05:30", "America/New_York");
        ansi = !chance(20);
        strange = of(0, 0, 0, 1, 3, 15);
        fit = of(50, 90, 100);
        if (format == FileFormat.CSV) {
            csv();
        } else {
            json();
        }
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    RecordFormat.Read records() {
        return new RecordFormat.Read(format, options, schema, format == FileFormat.CSV ? columns : 0,
                format == FileFormat.CSV && ignoreExtra, Set.of(), timeZone, ansi);
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T one(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    @SafeVarargs
    private <T> T of(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private void option(int percent, String name, String... values) {
        if (chance(percent)) {
            options.put(name, of(values));
        }
    }

    private void flag(int percent, String name) {
        option(percent, name, "true", "true", "false", "TRUE");
    }

    private String named(String option, String otherwise) {
        return options.getOrDefault(option, otherwise);
    }

    private void write(String text) {
        bytes.writeBytes(text.getBytes(charset));
    }

    private void writeOdd() {
        if (chance(70)) {
            write(one(ODD));
        } else if (chance(50)) {
            bytes.writeBytes(one(BROKEN));
        } else {
            write(of(named("sep", ","), named("quote", "\""), named("escape", "\\"), named("comment", "#"), named("lineSep",
                    "\n"),
                    named("nullValue", "NA"), named("emptyValue", "EMPTY"), named("nanValue", "NaN")));
        }
    }

    private void commonOptions() {
        option(15, "dateFormat", "yyyy-MM-dd", "dd.MM.yyyy", "dd/MM/yyyy", "d MMM yyyy", "yyyyMMdd");
        option(15, "timestampFormat", "yyyy-MM-dd HH:mm:ss", "dd.MM.yyyy HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]",
                "yyyy-MM-dd");
        option(10, "timestampNTZFormat", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss[.SSS]", "yyyy-MM-dd");
        option(5, "enableDateTimeParsingFallback", "true", "false");
        option(10, "locale", "en-US", "de-DE", "fr-FR", "ar");
        option(10, "timeZone", "UTC", "Asia/Tokyo", "-03:00", "PST");
        option(15, "lineSep", "\n", "\r\n", "\r", "|", ";;", "\u0001", "aa", "\u00e9", ",");
        option(5, "mode", "PERMISSIVE", "DROPMALFORMED", "FAILFAST", "other");
        option(5, "columnNameOfCorruptRecord", "c0", "bad");
        lineEnd = named("lineSep", of("\n", "\n", "\n", "\r\n", "\r"));
    }

    private void csv() {
        option(60, "sep", ";", "|", "\t", "\\t", "||", "::", ",,", "aa", "|#|", "\u00e9", "\u20ac", " ", "\\\\", "a", "\"",
                "\r", "\u0000",
                "\\u0000", "##");
        option(25, "quote", "'", "", "|", "\"", "\u00e9", "#", "\u0000");
        option(25, "escape", "\"", "'", "", "\\", "/", "\u00e9", "\u0000");
        option(10, "charToEscapeQuoteEscaping", "\\", "/", "\"", "", "\u0000");
        option(25, "comment", "#", "/", "", "\"", "\u00e9", " ", ",", "\u0000");
        flag(30, "header");
        option(25, "nullValue", "NA", "", "null", "0", "\"", " ", "a");
        option(15, "emptyValue", "EMPTY", "", "NA", "0");
        option(10, "nanValue", "NaN", "n/a", "0", "");
        option(10, "positiveInf", "Inf", "inf", "12");
        option(10, "negativeInf", "-Inf", "-inf", "-5");
        flag(20, "ignoreLeadingWhiteSpace");
        flag(20, "ignoreTrailingWhiteSpace");
        option(8, "maxCharsPerColumn", "3", "10", "-1");
        option(5, "maxColumns", "2", "5", "20480");
        option(15, "unescapedQuoteHandling", "STOP_AT_CLOSING_QUOTE", "BACK_TO_DELIMITER", "STOP_AT_DELIMITER", "SKIP_VALUE",
                "RAISE_ERROR", "raise_error");
        option(10, "encoding", "UTF-8", "utf8", "ISO-8859-1", "US-ASCII", "windows-1252");
        option(3, "inputBufferSize", "16", "128");
        option(3, "preferDate", "true", "false");
        option(3, "inferSchema", "true", "false");
        option(3, "samplingRatio", "0.5");
        option(3, "columnPruning", "true", "false");
        option(3, "quoteAll", "true");
        option(3, "escapeQuotes", "true", "false");
        option(2, "maxErrorContentLength", "10");
        commonOptions();
        if (Set.of("maxCharsPerColumn", "maxColumns", "unescapedQuoteHandling").stream().anyMatch(options::containsKey)
                || options.containsKey("ignoreTrailingWhiteSpace")) {
            options.remove("header");   // which Spark parses too, and may fail at
        }
        if (options.containsKey("encoding")) {
            charset = Charset.forName(options.get("encoding"));
        }
        csvLines();
    }

    private void csvLines() {
        if (chance(5)) {
            bytes.writeBytes(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF});
        }
        if (named("header", "false").equalsIgnoreCase("true")) {
            options.put("enforceSchema", "true");   // its name is not the schema's
            write((chance(20) ? " " + lineEnd : "") + "h0" + lineEnd);  // a wild one would trip Spark's parser over the next line
        }
        int lines = random.nextInt(8);
        for (int line = 0; line < lines; line++) {
            csvLine();
            write(chance(90) ? lineEnd : of("\n", "\r", "\r\n", "\n\n", lineEnd + lineEnd));
        }
        if (chance(50)) {
            csvLine();
        }
    }

    private void csvLine() {
        if (chance(5)) {
            write(of("", " ", "  \t", named("comment", "#") + "comment", " " + named("comment", "#") + "x", "\u0001", "\u00A0"));
            return;
        }
        int wanted = columns == 0 ? schema.size() : columns;
        int cells = chance(75) ? wanted : Math.max(1, wanted + random.nextInt(5) - 2);
        String sep = named("sep", ",");
        String shown = sep.equals("\\t") ? "\t" : sep.equals("\\\\") ? "\\" : sep.equals("\\u0000") ? "\u0000" : sep;
        for (int k = 0; k < cells; k++) {
            if (k > 0) {
                write(shown);
            }
            if (chance(strange)) {
                writeOdd();
            }
            csvCell(k < schema.size() ? schema.column(k).type() : Simple.STRING);
            if (chance(strange)) {
                writeOdd();
            }
        }
    }

    private void csvCell(Type type) {
        String quote = named("quote", "\"");
        String escape = named("escape", "\\");
        boolean quoted = chance(25);
        write(quoted ? quote : "");
        int pieces = chance(80) ? 1 : random.nextInt(4);
        for (int k = 0; k < pieces; k++) {
            if (chance(strange)) {
                writeOdd();
            } else if (chance(10)) {
                write(of(escape + quote, escape + escape, quote + quote, escape, quote, named("sep", ","),
                        named("charToEscapeQuoteEscaping", "/") + escape + quote));
            } else {
                write(chance(fit) ? fitting(type) : of(one(NUMBERS), one(TIMES), one(WORDS)));
            }
        }
        write(quoted ? of(quote, quote, quote, escape + quote, "", quote + " ") : "");
    }

    private String fitting(Type type) {
        if (chance(10)) {
            return of("", named("nullValue", ""), named("emptyValue", ""), named("nanValue", "NaN"), named("positiveInf", "Inf"),
                    named("negativeInf", "-Inf"));
        }
        if (type == Simple.STRING || type == Simple.BINARY) {
            return one(WORDS);
        }
        if (type == Simple.BOOLEAN) {
            return of("true", "false", "True");
        }
        if (type == Simple.DATE && chance(fit)) {
            return of("2024-02-29", "2024-02-28", "1999-12-31");
        }
        if (type == Simple.DATE || type == Simple.TIMESTAMP || type == Simple.TIMESTAMP_NTZ) {
            return chance(fit) ? of("2024-02-29", "2024-02-29T10:11:12", "2024-02-29 10:11:12") : one(TIMES);
        }
        return chance(fit) ? String.valueOf(random.nextInt(200) - 100) : one(NUMBERS);
    }

    private Type type(int depth) {
        if (depth == 0 || chance(60)) {
            return one(SCALARS);
        }
        return switch (random.nextInt(3)) {
            case 0 -> new Type.Array(type(depth - 1), true);
            case 1 -> new Type.MapOf(Simple.STRING, type(depth - 1), true);
            default -> new Type.Struct(List.of(new Column("a", type(depth - 1), true), new Column("b", type(depth - 1), true)));
        };
    }

    private void json() {
        flag(15, "primitivesAsString");
        flag(15, "prefersDecimal");
        flag(15, "allowComments");
        flag(15, "allowUnquotedFieldNames");
        option(20, "allowSingleQuotes", "true", "false");
        flag(15, "allowNumericLeadingZeros");
        option(20, "allowNonNumericNumbers", "true", "false");
        flag(15, "allowBackslashEscapingAnyCharacter");
        flag(15, "allowUnquotedControlChars");
        option(3, "dropFieldIfAllNull", "true");
        option(3, "samplingRatio", "0.5");
        option(3, "ignoreNullFields", "false");
        option(3, "useUnsafeRow", "true", "false");
        option(3, "inferTimestamp", "true");
        commonOptions();
        option(10, "encoding", "UTF-8", "utf8", "ISO-8859-1", "US-ASCII");
        if (options.containsKey("encoding")) {
            charset = Charset.forName(options.get("encoding"));
            if (!options.containsKey("lineSep") && !chance(10)) {
                options.put("lineSep", "\n");
            }
            lineEnd = named("lineSep", "\n");
        }
        if (chance(5)) {
            bytes.writeBytes(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF});
        }
        int lines = random.nextInt(6);
        for (int line = 0; line < lines; line++) {
            jsonLine();
            write(chance(90) ? lineEnd : of("\n", "\r", "\r\n", "\n\n", lineEnd + lineEnd));
        }
        if (chance(50)) {
            jsonLine();
        }
    }

    private void jsonLine() {
        if (chance(8)) {
            write(of("", " ", "\t", "null", "1", "\"x\"", "{}", "[]", "[{}]", "{\"c0\":", "\u0000", "\u00A0", "// x", "/* */",
                    "[1]", "\uFEFF",
                    "[null]", "[[]]", "tru"));
            return;
        }
        int times = chance(90) ? 1 : 1 + random.nextInt(3);
        boolean array = times > 1 && chance(60);
        write(array ? "[" : "");
        for (int k = 0; k < times; k++) {
            write(k > 0 && array ? "," + space() : "");
            jsonObject(schema.columns());
        }
        write(array ? "]" : "");
        if (chance(5)) {
            write(of(" ", "}", " x", ",", "{}", "// c"));
        }
    }

    private String space() {
        return chance(80) ? "" : of(" ", "  ", "\t", "/* c */");
    }

    private void jsonObject(List<Column> fields) {
        write("{" + space());
        boolean first = true;
        for (Column field : fields) {
            int copies = chance(80) ? 1 : random.nextInt(3);
            for (int k = 0; k < copies; k++) {
                write(first ? "" : "," + space());
                first = false;
                String name = chance(3) ? field.name().toUpperCase(java.util.Locale.ROOT) : chance(3) ? "other" : field.name();
                write(chance(90) ? "\"" + name + "\"" : chance(50) ? "'" + name + "'" : name);
                write(space() + ":" + space());
                jsonValue(field.type(), 2);
                if (chance(strange)) {
                    writeOdd();
                }
            }
        }
        write(space() + "}");
    }

    private void jsonValue(Type type, int depth) {
        if (chance(5)) {
            write("null");
        } else if (depth > 0 && chance(8)) {
            jsonValue(type(1), depth - 1);
        } else if (type instanceof Type.Struct struct) {
            jsonObject(struct.fields());
        } else if (type instanceof Type.Array array) {
            write("[" + space());
            int n = random.nextInt(3);
            for (int k = 0; k < n; k++) {
                write(k > 0 ? "," + space() : "");
                jsonValue(array.element(), depth);
            }
            write("]");
        } else if (type instanceof Type.MapOf map) {
            write("{");
            int n = random.nextInt(3);
            for (int k = 0; k < n; k++) {
                write((k > 0 ? "," : "") + "\"" + of("k", "l", "") + "\":" + space());
                jsonValue(map.value(), depth);
            }
            write("}");
        } else {
            jsonScalar(type);
        }
    }

    private void jsonScalar(Type type) {
        if (type == Simple.STRING && chance(40)) {
            write(of("[1,  2]", "{\"x\": 1.50}", "1.50", "1e2", "true", "{ \"a\" : [ ] }", "12345678901234567890.10",
                    "[\"\\u0041\"]",
                    "{\"k\":1,\"k\":2}", "-0", "{'x':1}", "[NaN]", "007", "[1,]", "\"\\u00e9\"", "[\"é\"]", "\"\\x\"", "NaN",
                            "[1 /* c */]"));
            return;
        }
        String text = chance(fit) ? fitting(type) : of(one(NUMBERS), one(TIMES), one(WORDS));
        boolean bare = type == Simple.STRING || type == Simple.DATE || type == Simple.TIMESTAMP || type == Simple.TIMESTAMP_NTZ
                || type == Simple.BINARY ? chance(5) : chance(85);
        String quote = bare ? "" : chance(92) ? "\"" : "'";
        write(quote);
        write(text);
        if (!bare && chance(strange)) {
            writeOdd();
        }
        if (!bare && chance(5)) {
            write(of("\\n", "\\\"", "\\u0000", "\\uD83D", "\\'", "\\x", "\\", "\\uD83D\\uDE00", "\\/"));
        }
        write(quote);
    }
}
