package io.despina.catalogue.field;

import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.record.InfluxOptions;
import io.despina.operator.record.avro.AvroException;
import io.despina.operator.record.avro.AvroOptions;
import io.despina.operator.record.protobuf.ProtobufException;
import io.despina.operator.record.protobuf.ProtobufOptions;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.spec.FileFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** What the options of a format say of the columns: whether records can be read as them, or written of them. */
public final class RecordSchemas {
    /** The field that names a schema registry, of operators that may have one. */
    static final String REGISTRY = "registry";
    private static final String ROW_TAG = "rowTag";

    private RecordSchemas() {
    }

    /** Whether records of the format can hold the columns under its options; else reports it. */
    static boolean fit(PlanningContext context, FileFormat format, Schema schema, boolean written) {
        if (format != FileFormat.AVRO && format != FileFormat.PROTOBUF && hasRegistry(context.fields())) {
            context.refuse(context.fields().place(REGISTRY), Rule.EXCLUSIVE, "`registry` is for formats avro and protobuf",
                    "leave it out");
            return false;
        }
        return switch (format) {
            case INFLUX -> fitsInflux(context, schema, written);
            case AVRO -> fitsAvro(context, schema, written);
            case PROTOBUF -> fitsProtobuf(context, written);
            case XML -> fitsXml(context, schema, written);
            default -> true;
        };
    }

    /** The same for files: one of avro says itself what its records are. */
    public static boolean fitFiles(PlanningContext context, FileFormat format, Schema schema, boolean written) {
        if (format == FileFormat.AVRO) {
            for (String name : AvroOptions.NAMES) {
                Text told = !written || name.equals(AvroOptions.ID) ? option(context.fields(), name) : null;
                if (told != null) {
                    context.refuse(told.place(), Rule.EXCLUSIVE, "an avro file has the schema of its records at its beginning",
                            "leave the option out");
                    return false;
                }
            }
        }
        if (format == FileFormat.XML && !written && option(context.fields(), ROW_TAG) == null) {
            context.refuse(context.fields().place("format"), Rule.MISSING_FIELD, "rows are elements within the root of an xml "
                    + "file: there is no option `" + ROW_TAG + "`", "\"options\": {\"" + ROW_TAG + "\": \"reading\"}");
            return false;
        }
        return format == FileFormat.AVRO && !written || fit(context, format, schema, written);
    }

    private static Text option(Values fields, String name) {
        return fields.namedTexts("options").entrySet().stream().filter(each -> each.getKey().equalsIgnoreCase(name))
                .map(Map.Entry::getValue).findFirst().orElse(null);
    }

    private static boolean fitsInflux(PlanningContext context, Schema schema, boolean written) {
        Values fields = context.fields();
        try {
            InfluxOptions.of(fields.strings("options"), schema, written);
            return true;
        } catch (InfluxOptions.InfluxException unfit) {
            Text option = unfit.option() == null ? null : option(fields, unfit.option());
            context.refuse(option != null ? option.place() : fields.place(written || !fields.isWritten("schema") ? "format"
                    : "schema"), option != null ? Rule.UNKNOWN_WORD : Rule.COLUMN_TYPE, unfit.getMessage(), null);
            return false;
        }
    }

    private static boolean fitsAvro(PlanningContext context, Schema schema, boolean written) {
        Values fields = context.fields();
        AvroOptions options = new AvroOptions(fields.strings("options"));
        Text text = option(fields, AvroOptions.SCHEMA);
        Text file = option(fields, AvroOptions.FILE);
        if (text != null && file != null) {
            context.refuse(file.place(), Rule.EXCLUSIVE, "`avroSchema` and `schemaFile` exclude each other",
                    "leave one of them out");
            return false;
        }
        if (hasRegistry(fields)) {
            Text other = option(fields, AvroOptions.ID) != null ? option(fields, AvroOptions.ID) : written ? null
                    : text != null ? text : file;
            if (other != null) {
                return exclusive(context, other);
            }
        }
        if (!written && !options.haveSchema()) {
            if (hasRegistry(fields)) {
                return true;        // the columns are compared with each schema that comes
            }
            context.refuse(fields.place("format"), Rule.MISSING_FIELD, "a record of avro does not say what is in it",
                    "name the schema it was written with: \"options\": {\"schemaFile\": \"reading.avsc\"}, or its text in "
                    + "`avroSchema`" + (fields.declares(REGISTRY) ? ", or the `registry` that has it" : ""));
            return false;
        }
        try {
            options.check(schema, !written);
            return true;
        } catch (AvroException unfit) {
            Text id = option(fields, AvroOptions.ID);
            Text told = unfit.getMessage().startsWith("`" + AvroOptions.ID) ? id : text;
            context.refuse(told != null ? told.place() : fields.place("format"), Rule.SCHEMA, unfit.getMessage(), told != null
                    ? null : "select other columns before it: `a b` AS a_b");
            return false;
        }
    }

    private static boolean fitsXml(PlanningContext context, Schema schema, boolean written) {
        Values fields = context.fields();
        String problem = XmlColumns.problem(schema, fields.strings("options"), written);
        if (problem != null) {
            context.refuse(fields.place(written ? "format" : "schema"), Rule.SCHEMA, problem,
                    written ? "select other columns before it" : null);
        }
        return problem == null;
    }

    /** The columns are compared with the message when the job starts, as it is in a file. */
    private static boolean fitsProtobuf(PlanningContext context, boolean written) {
        Values fields = context.fields();
        if (hasRegistry(fields)) {
            Text other = Stream.of(ProtobufOptions.FILE, ProtobufOptions.ID).map(name -> option(fields, name))
                    .filter(Objects::nonNull).findFirst().orElse(null);
            return other == null || exclusive(context, other);
        }
        for (String name : List.of(ProtobufOptions.FILE, ProtobufOptions.MESSAGE)) {
            if (option(fields, name) == null) {
                context.refuse(fields.place("format"), Rule.MISSING_FIELD, "a record of protobuf does not say what is in it: "
                        + "there is no option `" + name + "`", "\"options\": {\"descriptorFile\": \"reading.desc\", "
                        + "\"messageName\": \"plant.Reading\"}; make the file with protoc --include_imports "
                        + "--descriptor_set_out=reading.desc reading.proto" + (fields.declares(REGISTRY)
                        ? "; or name the `registry` that has it" : ""));
                return false;
            }
        }
        try {
            new ProtobufOptions(fields.strings("options")).check(!written);
            return true;
        } catch (ProtobufException wrong) {
            context.refuse(option(fields, ProtobufOptions.ID).place(), Rule.SCHEMA, wrong.getMessage(), null);
            return false;
        }
    }

    static boolean hasRegistry(Values fields) {
        return fields.declares(REGISTRY) && fields.isWritten(REGISTRY);
    }

    private static boolean exclusive(PlanningContext context, Text option) {
        context.refuse(option.place(), Rule.EXCLUSIVE, "the `registry` says which schema each record has",
                "leave the option out");
        return false;
    }

    /** The options with absolute paths of the files that they name; null after a refusal. */
    public static Map<String, String> planned(PlanningContext context, FileFormat format, Map<String, String> options) {
        String name = format == FileFormat.AVRO ? AvroOptions.FILE : format == FileFormat.PROTOBUF ? ProtobufOptions.FILE : null;
        Text file = name == null ? null : option(context.fields(), name);
        if (file == null) {
            return options;
        }
        String path = LocalPath.planned(context, file);
        if (path == null) {
            return null;
        }
        Map<String, String> planned = new LinkedHashMap<>(options);
        planned.keySet().removeIf(name::equalsIgnoreCase);
        planned.put(name, path);
        return planned;
    }
}
