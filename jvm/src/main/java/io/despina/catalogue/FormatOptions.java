package io.despina.catalogue;

import io.despina.descriptor.Nearest;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.FileAddress;
import io.despina.operator.FileCodec;
import io.despina.operator.sink.FileSinkOptions;
import io.despina.operator.sink.ParquetCodec;
import io.despina.plan.PlanningContext;
import io.despina.spec.FileFormat;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Refuses options of a file format that Spark does not know, and values that are not supported. */
final class FormatOptions {
    /** Spark's options that select files; the others belong to the format. */
    private static final Set<String> OF_FILES = names("pathGlobFilter recursiveFileLookup modifiedBefore modifiedAfter "
            + "ignoreCorruptFiles ignoreMissingFiles");

    private static final Set<String> CSV_FLAGS = names("header inferSchema enforceSchema ignoreLeadingWhiteSpace "
            + "ignoreTrailingWhiteSpace multiLine quoteAll escapeQuotes preferDate columnPruning enableDateTimeParsingFallback");
    private static final Set<String> CSV = names("sep delimiter encoding charset quote escape charToEscapeQuoteEscaping comment "
            + "nullValue emptyValue nanValue positiveInf negativeInf dateFormat timeFormat timestampFormat timestampNTZFormat "
            + "timeZone locale lineSep maxColumns maxCharsPerColumn inputBufferSize unescapedQuoteHandling mode "
            + "columnNameOfCorruptRecord samplingRatio extension compression codec");
    private static final Set<String> JSON_FLAGS = names("allowComments allowUnquotedFieldNames allowSingleQuotes "
            + "allowNumericLeadingZeros allowNonNumericNumbers allowBackslashEscapingAnyCharacter allowUnquotedControlChars "
            + "primitivesAsString prefersDecimal dropFieldIfAllNull inferTimestamp multiLine ignoreNullFields pretty sortKeys "
            + "explodeEmbeddedArray writeNonAsciiCharacterAsCodePoint enableDateTimeParsingFallback");
    private static final Set<String> JSON = names("encoding charset dateFormat timeFormat timestampFormat timestampNTZFormat "
            + "timeZone locale lineSep mode columnNameOfCorruptRecord samplingRatio compression");
    private static final Set<String> TEXT_FLAGS = names("wholetext");
    private static final Set<String> TEXT = names("encoding lineSep compression");

    private static final Set<String> PARQUET_FLAGS = names("mergeSchema parquet.enable.dictionary");
    private static final Set<String> PARQUET = names("compression datetimeRebaseMode int96RebaseMode parquet.block.size "
            + "parquet.page.size parquet.dictionary.page.size");

    /** Values of {@code compression} under which files are not packed. */
    private static final Set<String> UNPACKED = names("none uncompressed");

    private FormatOptions() {
    }

    private static Set<String> names(String all) {
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(Arrays.asList(all.split(" ")));
        return names;
    }

    /** Whether all {@code options} of what is read are supported; reports those that are not. @param fields it is one of them */
    static boolean canRead(PlanningContext context, Values fields, FileFormat format) {
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
            if (!isKnown(context, format, name, value)) {
                return false;
            }
            boolean isTrue = value.value().equalsIgnoreCase("true");
            if (isTrue && (name.equalsIgnoreCase("multiLine") || name.equalsIgnoreCase("wholetext"))) {
                context.refuse(value.place(), Rule.UNKNOWN_WORD, "option `" + name + "` cannot be true: every record is one line",
                        "write each record on one line of the file, and leave the option out");
                return false;
            }
            if (isEncoding(name) && value.value().toUpperCase(Locale.ROOT).matches("UTF-?_?(16|32).*")) {
                context.refuse(value.place(), Rule.UNKNOWN_WORD, "encoding `" + value.value() + "` cannot be read",
                        "convert the file to UTF-8");
                return false;
            }
        }
        return true;
    }

    /** Whether all options of a sink are supported; reports those that are not. */
    static boolean canWrite(PlanningContext context, FileFormat format) {
        for (Map.Entry<String, Text> option : context.fields().namedTexts("options").entrySet()) {
            String name = option.getKey();
            Text value = option.getValue();
            if (FileAddress.isSetting(name)) {
                continue;
            }
            if (!isKnown(context, format, name, value)) {
                return false;
            }
            boolean packs = FileSinkOptions.Records.isCompression(name);
            if (packs && !canPack(format, value.value())) {
                context.refuse(value.place(), Rule.UNKNOWN_WORD, "files of format " + format.word() + " cannot be packed with `"
                        + value.value() + "`", "option `" + name + "` is " + (format.isText()
                        ? "none, " + String.join(", ", FileCodec.words()) : String.join(", ", ParquetCodec.words())));
                return false;
            }
        }
        return true;
    }

    private static boolean canPack(FileFormat format, String word) {
        return format.isText() ? UNPACKED.contains(word) || FileCodec.ofWord(word) != null : ParquetCodec.ofWord(word) != null;
    }

    private static boolean isEncoding(String name) {
        return name.equalsIgnoreCase("encoding") || name.equalsIgnoreCase("charset");
    }

    private static boolean isKnown(PlanningContext context, FileFormat format, String name, Text value) {
        Set<String> flags = switch (format) {
            case CSV -> CSV_FLAGS;
            case JSON -> JSON_FLAGS;
            case TEXT -> TEXT_FLAGS;
            case PARQUET -> PARQUET_FLAGS;
        };
        Set<String> others = switch (format) {
            case CSV -> CSV;
            case JSON -> JSON;
            case TEXT -> TEXT;
            case PARQUET -> PARQUET;
        };
        if (flags.contains(name)) {
            boolean isFlag = value.value().equalsIgnoreCase("true") || value.value().equalsIgnoreCase("false");
            if (!isFlag) {
                context.refuse(value.place(), Rule.UNKNOWN_WORD, "option `" + name + "` is true or false, not `"
                        + value.value() + "`", null);
            }
            return isFlag;
        }
        if (!others.contains(name)) {
            Collection<String> known = new TreeSet<>(flags);
            known.addAll(others);
            context.refuse(value.place(), Rule.UNKNOWN_WORD, "format " + format.word() + " has no option `"
                    + name + "`", Nearest.hint(name, known));
        }
        return others.contains(name);
    }
}
