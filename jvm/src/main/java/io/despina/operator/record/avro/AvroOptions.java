package io.despina.operator.record.avro;

import io.despina.operator.record.value.BinaryReader;
import io.despina.operator.record.value.RegisteredId;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a graph says of Avro records: their schema, as text or in a file, or what it is called if the columns make it. */
public final class AvroOptions {
    public static final String SCHEMA = "avroSchema";
    public static final String FILE = "schemaFile";
    private static final String NAME = "recordName";
    private static final String NAMESPACE = "recordNamespace";
    public static final String ID = "schemaId";
    /** Of files. */
    public static final String COMPRESSION = "compression";
    /** The options that a graph may write. */
    public static final List<String> NAMES = List.of(SCHEMA, FILE, NAME, NAMESPACE, ID);

    private final Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    public AvroOptions(Map<String, String> options) {
        this.options.putAll(options);
    }

    /** Whether they say which schema records have. */
    public boolean haveSchema() {
        return options.containsKey(SCHEMA) || options.containsKey(FILE);
    }

    /** The schema that they name. Reads its file. */
    private org.apache.avro.Schema schema() throws AvroException {
        String file = options.get(FILE);
        if (file == null) {
            return AvroSchemas.parse(options.get(SCHEMA));
        }
        try {
            return AvroSchemas.parse(Files.readString(Path.of(file)));
        } catch (AvroException why) {
            throw new AvroException("schemaFile " + file + ": " + why.getMessage());
        } catch (NoSuchFileException none) {
            throw new AvroException("there is no schemaFile " + file);
        } catch (MalformedInputException strange) {
            throw new AvroException("schemaFile " + file + " is not UTF-8");
        } catch (IOException why) {
            throw new AvroException("schemaFile " + file + " cannot be read: " + why);
        }
    }

    /**
     * A reader of records that were written with their schema.
     *
     * @param defaults a row with the default of each column that has one; null for none
     */
    public BinaryReader reader(Schema columns, Packet defaults) throws AvroException {
        AvroReader reader = new AvroReader(schema(), columns, defaults);
        RegisteredId id = id();
        return id == null ? reader : id.before(reader);
    }

    /** What stands before each record; null for nothing. */
    public RegisteredId id() throws AvroException {
        String id = options.get(ID);
        if (id == null) {
            return null;
        }
        if (!id.matches("\\d{1,9}")) {
            throw new AvroException("`schemaId` is the number of a schema, not `" + id + "`");
        }
        return new RegisteredId(Integer.parseInt(id));
    }

    /** The schema that rows are written with: theirs, or that of the columns. */
    public org.apache.avro.Schema written(Schema columns) throws AvroException {
        return haveSchema() ? schema() : AvroSchemas.of(columns.columns(), options.getOrDefault(NAME, "topLevelRecord"),
                options.getOrDefault(NAMESPACE, ""));
    }

    /** Of files that are written. */
    public AvroContainer container(Schema columns) throws AvroException {
        AvroCodec codec = AvroCodec.ofWord(options.getOrDefault(COMPRESSION, AvroCodec.SNAPPY.name()));
        return AvroContainer.of(written(columns), codec);
    }

    /**
     * Looks whether the columns can be read, or written, under the schema; one in a file is looked at when the job starts.
     *
     * @param isRead else they are written
     */
    public void check(Schema columns, boolean isRead) throws AvroException {
        id();
        if (options.containsKey(FILE)) {
            return;
        }
        if (isRead) {
            reader(columns, null);
        } else {
            new AvroWriter(written(columns), columns);
        }
    }
}
