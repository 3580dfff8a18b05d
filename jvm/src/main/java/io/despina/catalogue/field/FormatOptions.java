package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.CommonFields;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.TextOptions;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.disk.FileCodec;
import io.despina.operator.record.InfluxOptions;
import io.despina.operator.record.avro.AvroCodec;
import io.despina.operator.record.avro.AvroOptions;
import io.despina.operator.record.avro.AvroSchemas;
import io.despina.operator.record.protobuf.ProtobufOptions;
import io.despina.operator.sink.file.ParquetCodec;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.spec.FileFormat;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What a file format is told: refuses options that Spark does not know, and values that are not supported. */
public final class FormatOptions {
    /** Of sources that read json; readers find it among their options. */
    public static final FieldSpec TIMESTAMP_UNIT = or(TextOptions.TIMESTAMP_UNIT, words("seconds", "as Spark counts",
            "milliseconds", "thousandths of a second", "microseconds", "millionths of a second", "nanoseconds",
            "thousandths of a microsecond, which are cut off"),
            "\"seconds\"", "For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z; it may have "
            + "a fraction. A number that lies outside of the years 1 to 9999 makes a bad record.");

    /** Spark's options that select files; the others belong to the format. */
    private static final Set<String> OF_FILES = names("pathGlobFilter recursiveFileLookup modifiedBefore modifiedAfter "
            + "ignoreCorruptFiles ignoreMissingFiles");

    /** The options of each format, under Spark's names. */
    private static final Map<FileFormat, KnownOptions> KNOWN = Map.of(
            FileFormat.CSV, KnownOptions.of("header inferSchema enforceSchema ignoreLeadingWhiteSpace ignoreTrailingWhiteSpace "
                    + "multiLine quoteAll escapeQuotes preferDate columnPruning enableDateTimeParsingFallback",
                    "sep delimiter encoding charset quote escape charToEscapeQuoteEscaping comment nullValue emptyValue nanValue "
                    + "positiveInf negativeInf dateFormat timeFormat timestampFormat timestampNTZFormat timeZone locale lineSep "
                    + "maxColumns maxCharsPerColumn inputBufferSize unescapedQuoteHandling mode columnNameOfCorruptRecord "
                    + "samplingRatio extension compression codec"),
            FileFormat.JSON, KnownOptions.of("allowComments allowUnquotedFieldNames allowSingleQuotes allowNumericLeadingZeros "
                    + "allowNonNumericNumbers allowBackslashEscapingAnyCharacter allowUnquotedControlChars primitivesAsString "
                    + "prefersDecimal dropFieldIfAllNull inferTimestamp multiLine ignoreNullFields pretty sortKeys "
                    + "explodeEmbeddedArray writeNonAsciiCharacterAsCodePoint enableDateTimeParsingFallback",
                    "encoding charset dateFormat timeFormat timestampFormat timestampNTZFormat timeZone locale lineSep mode "
                    + "columnNameOfCorruptRecord samplingRatio compression"),
            FileFormat.TEXT, KnownOptions.of("wholetext", "encoding lineSep compression"),
            FileFormat.PARQUET, KnownOptions.of("mergeSchema parquet.enable.dictionary", "compression datetimeRebaseMode "
                    + "int96RebaseMode parquet.block.size parquet.page.size parquet.dictionary.page.size"),
            FileFormat.INFLUX, new KnownOptions(Set.of(), names(InfluxOptions.NAMES)),
            FileFormat.AVRO, new KnownOptions(Set.of(), names(AvroOptions.NAMES)),
            FileFormat.PROTOBUF, new KnownOptions(names(ProtobufOptions.FLAGS), names(ProtobufOptions.NAMES)),
            FileFormat.XML, KnownOptions.of("ignoreSurroundingSpaces excludeAttribute ignoreNamespace validateName",
                    "rowTag attributePrefix valueTag nullValue arrayElementName indent wildcardColName dateFormat timeFormat "
                    + "timestampFormat timestampNTZFormat timeZone locale"),
            FileFormat.RAW, new KnownOptions(Set.of(), Set.of()));
    /** Of what stands around the rows of a file that is written. */
    private static final Set<String> XML_FILES = names("rootTag declaration");

    private static final String INFLUX_DOC = "InfluxDB's line protocol: tags and fields by their names, docs/sockets.md";
    private static final String AVRO_DOC = "Avro's binary form, docs/formats.md";
    private static final String PROTOBUF_DOC = "messages that a descriptor file describes, docs/formats.md";
    private static final String XML_DOC = "elements, Spark's rules, docs/formats.md";

    /** What formats a source can read whose records are lines. */
    static final FieldKind READ_LINES = words("csv", "separated values, Spark's rules", "json",
            "one JSON object per line", "text", "one column per line: `value STRING`",
            "influx", INFLUX_DOC);
    /** What formats a sink can write whose records are lines. */
    static final FieldKind WRITE_LINES = words("csv", "separated values, as Spark writes them", "json",
            "one JSON object per line", "text", "one STRING column, one line each",
            "influx", INFLUX_DOC);

    /** What formats a source of files can read. */
    public static final FieldKind READ_FILES = words("csv", "separated values, Spark's rules", "json",
            "one JSON object per line", "text", "one column per line: `value STRING`",
            "parquet", "columns, found by their names in upper or lower case", "avro", "container files, docs/formats.md",
            "protobuf", "messages behind their lengths, docs/formats.md", "xml", XML_DOC, "influx", INFLUX_DOC,
            "raw", "each file is a row, packed or not: `value BINARY`");
    /** What formats a sink of files can write. */
    public static final FieldKind WRITE_FILES = words("csv", "separated values, as Spark writes them", "json",
            "one JSON object per line", "text", "one STRING column, one line each", "parquet",
            "columns, packed by `compression`: snappy by default, as on Spark", "avro", "container files, packed likewise",
            "protobuf", "messages behind their lengths, docs/formats.md", "xml", XML_DOC, "influx", INFLUX_DOC);

    /** What formats a source can read whose records come one by one. */
    static final FieldKind READ_RECORDS = words("csv", "separated values, Spark's rules", "json", "a JSON object, or an array of "
            + "them", "text", "one column: `value STRING`", "raw", "one column, the bytes as they are: `value BINARY`",
            "influx", INFLUX_DOC, "avro", AVRO_DOC, "protobuf", PROTOBUF_DOC, "xml", XML_DOC);
    /** What formats a sink can write whose records go one by one. */
    static final FieldKind WRITE_RECORDS = words("csv", "separated values, as Spark writes them", "json", "a JSON object",
            "text", "one STRING column", "raw", "one BINARY column, as it is", "influx", INFLUX_DOC, "avro", AVRO_DOC,
            "protobuf", PROTOBUF_DOC, "xml", XML_DOC);

    /** Those that Spark's readers and writers know, by these names alone. A record in the wider ones does not end at a byte. */
    private static final Set<String> CHARSETS = names("UTF-8 ISO-8859-1 US-ASCII");
    private static final Set<String> WIDE_CHARSETS = names("UTF-16 UTF-16BE UTF-16LE UTF-32");

    /** What a format is told, under Spark's names. */
    public static final FieldKind OPTIONS = new FieldKind.MapOf(null, "option", CommonFields.TEXT,
            Stream.concat(Stream.of(FileFormat.values()).map(KNOWN::get).flatMap(each -> Stream.of(each.flags, each.others)),
                    Stream.of(XML_FILES, Set.of(FileAddress.SETTINGS))).flatMap(Set::stream).distinct().toList());

    /** Formats that have the option {@code compression} in files alone. */
    private static final Set<FileFormat> PACKED_FILES = Set.of(FileFormat.AVRO, FileFormat.PROTOBUF, FileFormat.INFLUX,
            FileFormat.XML);

    /** Values of {@code compression} under which files are not packed. */
    private static final Set<String> UNPACKED = names("none uncompressed");

    private FormatOptions() {
    }

    /**
     * What a format knows, in upper or lower case.
     *
     * @param flags  options that are true or false
     * @param others with other values
     */
    private record KnownOptions(Set<String> flags, Set<String> others) {
        static KnownOptions of(String flags, String others) {
            return new KnownOptions(names(flags), names(others));
        }
    }

    private static Set<String> names(String all) {
        return names(Arrays.asList(all.split(" ")));
    }

    private static Set<String> names(Collection<String> all) {
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(all);
        return names;
    }

    /** Whether all {@code options} of what is read are supported; reports those that are not. @param fields it is one of them */
    public static boolean canRead(PlanningContext context, Values fields, FileFormat format) {
        if (fields.isWritten(TextOptions.TIMESTAMP_UNIT) && format != FileFormat.JSON) {
            context.refuse(fields.place(TextOptions.TIMESTAMP_UNIT), Rule.EXCLUSIVE, "`timestamp_unit` is for format json",
                    format == FileFormat.PARQUET ? "leave it out: the file says in which unit its times are"
                            : "read the numbers as BIGINT, and select timestamp_millis(…), or timestamp_seconds(…)");
            return false;
        }
        for (Map.Entry<String, Text> option : fields.namedTexts("options").entrySet()) {
            String name = option.getKey();
            Text value = option.getValue();
            if (FileAddress.isSetting(name)) {
                continue;
            }
            if (OF_FILES.contains(name)) {
                context.refuse(value.place(), Rule.UNKNOWN_WORD, "option `" + name
                        + "` selects files, and only `path` may do that", "write `path` as a glob: in/*.csv");
                return false;
            }
            if (!isKnown(context, fields, format, name, value)) {
                return false;
            }
            boolean isTrue = value.value().equalsIgnoreCase("true");
            if (isTrue && (name.equalsIgnoreCase("multiLine") || name.equalsIgnoreCase("wholetext"))) {
                context.refuse(value.place(), Rule.UNKNOWN_WORD, "option `" + name + "` cannot be true: every record is one line",
                        "write each record on one line of the file, and leave the option out");
                return false;
            }
            if (isEncoding(name) && !CHARSETS.contains(value.value())) {
                return refuseCharset(context, name, value, "read", CHARSETS,
                        isCharset(value.value()) ? "; convert the file: iconv -f " + value.value() + " -t UTF-8" : "");
            }
        }
        return true;
    }

    /** Whether all options of a sink are supported; reports those that are not. */
    public static boolean canWrite(PlanningContext context, FileFormat format) {
        boolean isFile = context.fields().declares("single_file");
        for (Map.Entry<String, Text> option : context.fields().namedTexts("options").entrySet()) {
            String name = option.getKey();
            Text value = option.getValue();
            if (FileAddress.isSetting(name)) {
                continue;
            }
            boolean packs = FileCodec.isOption(name);
            if (!(isFile && isOfFiles(format, name)) && !isKnown(context, context.fields(), format, name, value)) {
                return false;
            }
            if (isEncoding(name) && !CHARSETS.contains(value.value()) && !WIDE_CHARSETS.contains(value.value())) {
                Set<String> all = new LinkedHashSet<>(CHARSETS);
                all.addAll(WIDE_CHARSETS);
                return refuseCharset(context, name, value, "written", all, "");
            }
            if (packs && !canPack(format, value.value())) {
                context.refuse(value.place(), Rule.UNKNOWN_WORD, "files of format " + format.word() + " cannot be packed with `"
                        + value.value() + "`", "option `" + name + "` is " + switch (format) {
                            case PARQUET -> String.join(", ", ParquetCodec.words());
                            case AVRO -> String.join(", ", AvroCodec.words());
                            default -> "none, " + String.join(", ", FileCodec.words());
                        });
                return false;
            }
        }
        return true;
    }

    /** Whether files of the format have an option that its records do not have; Spark knows `codec` of its own text alone. */
    private static boolean isOfFiles(FileFormat format, String name) {
        return name.equalsIgnoreCase(AvroOptions.COMPRESSION) || FileCodec.isOption(name) && format != FileFormat.AVRO
                ? PACKED_FILES.contains(format) : format == FileFormat.XML && XML_FILES.contains(name);
    }

    private static boolean canPack(FileFormat format, String word) {
        return switch (format) {
            case PARQUET -> ParquetCodec.ofWord(word) != null;
            case AVRO -> AvroCodec.ofWord(word) != null;
            default -> UNPACKED.contains(word) || FileCodec.ofWord(word) != null;
        };
    }

    private static boolean isEncoding(String name) {
        return name.equalsIgnoreCase("encoding") || name.equalsIgnoreCase("charset");
    }

    /** Whether this Java knows it, as the tool does that converts files. */
    private static boolean isCharset(String name) {
        try {
            return Charset.isSupported(name);
        } catch (IllegalCharsetNameException strange) {
            return false;
        }
    }

    private static boolean refuseCharset(PlanningContext context, String name, Text value, String done, Set<String> known,
            String advice) {
        context.refuse(value.place(), Rule.UNKNOWN_WORD, "option `" + name + "`: text in `" + value.value()
                + "` cannot be " + done, "Spark knows " + String.join(", ", known) + advice);
        return false;
    }

    /** The options of what is read, with what fields of the graph say instead. @param fields the options are one of them */
    public static Map<String, String> read(Values fields) {
        Map<String, String> options = new LinkedHashMap<>(fields.strings("options"));
        if (fields.isWritten(TextOptions.TIMESTAMP_UNIT)) {
            options.put(TextOptions.TIMESTAMP_UNIT, fields.string(TextOptions.TIMESTAMP_UNIT, ""));
        }
        return options;
    }

    private static boolean isKnown(PlanningContext context, Values fields, FileFormat format, String name, Text value) {
        KnownOptions known = KNOWN.get(format);
        if (known.flags.contains(name)) {
            boolean isFlag = value.value().equalsIgnoreCase("true") || value.value().equalsIgnoreCase("false");
            if (!isFlag) {
                context.refuse(value.place(), Rule.UNKNOWN_WORD, "option `" + name + "` is true or false, not `"
                        + value.value() + "`", null);
            }
            return isFlag;
        }
        if (!known.others.contains(name)) {
            Collection<String> all = new TreeSet<>(known.flags);
            all.addAll(known.others);
            context.refuse(value.place(), Rule.UNKNOWN_WORD, "format " + format.word() + " has no option `"
                    + name + "`", fields.declares(name) ? "it is a field of " + fields.word()
                    + ": write it beside `options`, not in it" : Nearest.hint(name, all));
        }
        return known.others.contains(name);
    }

    /** Why files of that format cannot hold the columns, or null if they can. */
    public static String unwritable(FileFormat format, Schema schema) {
        if (format.isWhole()) {
            Type type = format.isBinary() ? Type.Simple.BINARY : Type.Simple.STRING;
            boolean one = schema.size() == 1 && schema.column(0).type() == type;
            return one ? null : "format " + format.word() + " has one " + type.sql() + " column, and this is " + schema.sql();
        }
        if (format == FileFormat.PARQUET) {
            return schema.columns().stream().filter(column -> isEmpty(column.type())).findFirst().map(column ->
                    "format parquet cannot hold column `" + column.name() + "` of type " + column.type().sql()).orElse(null);
        }
        if (format == FileFormat.AVRO) {
            return schema.columns().stream().filter(column -> !AvroSchemas.canHold(column.type())).findFirst().map(column ->
                    "format avro cannot hold column `" + column.name() + "` of type " + column.type().sql()).orElse(null);
        }
        if (format == FileFormat.CSV) {
            for (Column column : schema.columns()) {
                Type type = column.type();
                if (type instanceof Type.Array || type instanceof Type.MapOf || type instanceof Type.Struct
                        || type instanceof Type.Void) {
                    return "format csv cannot hold column `" + column.name() + "` of type " + type.sql();
                }
            }
        }
        return null;
    }

    /** Whether the type, or one in it, has no values to write. */
    private static boolean isEmpty(Type type) {
        if (type instanceof Type.Array array) {
            return isEmpty(array.element());
        }
        if (type instanceof Type.MapOf map) {
            return isEmpty(map.key()) || isEmpty(map.value());
        }
        if (type instanceof Type.Struct struct) {
            return struct.fields().isEmpty() || struct.fields().stream().anyMatch(field -> isEmpty(field.type()));
        }
        return type instanceof Type.Void;
    }
}
