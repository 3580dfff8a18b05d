package io.despina.iceberg;

import io.despina.connect.LakeTable.DataFile;
import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.LocalTableFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * A table in a folder, as Iceberg's Hadoop catalog lays it out: version N is {@code metadata/vN.metadata.json}, and
 * {@code version-hint.text} has a number that is not larger than the newest.
 *
 * <p>Iceberg's own code for it looks whether a version is there, and renames then; of two processes that do so at once, one would
 * lose its version. Here a link makes a version, and one of them gets it.
 */
class TableFolder implements TableHome {
    private static final String HINT = "version-hint.text";
    private static final String TYPE = ".metadata.json";
    private static final String PACKED = ".gz" + TYPE;
    private static final Pattern NAME = Pattern.compile("v(\\d+)(?:\\.gz)?\\.metadata\\.json");

    private final String path;
    private final Path data;
    private final Path metadata;
    private final String location;
    private final LocalFiles files = new LocalFiles();
    /** Null if there is no table. */
    private TableMetadata current;
    /** Of the file of {@link #current}; 0 for none. */
    private long version;
    private FileTime modified;

    TableFolder(String path) {
        this.path = path;
        Path root = Path.of(path).toAbsolutePath().normalize();
        data = root.resolve("data");
        metadata = root.resolve("metadata");
        location = "file://" + root;
    }

    @Override
    public String title() {
        return "`path` " + path;
    }

    @Override
    public String newest() {
        return "version " + version;
    }

    @Override
    public String address(String of) {
        return LocalFiles.path(of).toString();
    }

    @Override
    public TableMetadata look() throws IOException {
        Path known = version == 0 ? null : file(version);
        if (known == null || !Files.getLastModifiedTime(known).equals(modified)) {
            version = 0;
        }
        long found = latest();
        if (found == 0) {
            current = null;
        } else if (found != version) {
            Path file = file(found);
            if (file == null) {
                throw new NoSuchFileException(metadata.resolve("v" + found + TYPE).toString());
            }
            modified = Files.getLastModifiedTime(file);
            current = TableMetadataParser.read(files, "file://" + file);
        }
        version = found;
        return current;
    }

    private long latest() throws IOException {
        long found = Math.max(version, hinted());
        if (found == 0 || file(found) == null) {
            found = listed();
        }
        while (found > 0 && file(found + 1) != null) {
            found++;
        }
        return found;
    }

    /** 0 if there is none, or it cannot be read just now: the listing tells too. */
    private long hinted() throws IOException {
        try {
            String text = Files.readString(metadata.resolve(HINT)).strip();
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (NoSuchFileException | NumberFormatException none) {
            return 0;
        }
    }

    private long listed() throws IOException {
        try (Stream<Path> found = Files.list(metadata)) {
            return found.map(each -> NAME.matcher(each.getFileName().toString())).filter(Matcher::matches)
                    .mapToLong(each -> Long.parseLong(each.group(1))).max().orElse(0);
        } catch (NoSuchFileException none) {
            return 0;
        }
    }

    /** Null if it is not there. */
    private Path file(long of) {
        return Stream.of(TYPE, PACKED).map(each -> metadata.resolve("v" + of + each)).filter(Files::exists).findFirst()
                .orElse(null);
    }

    @Override
    public Transaction begin(Schema columns, PartitionSpec partitions) {
        return current == null ? Transactions.createTableTransaction(path, this, TableMetadata.newTableMetadata(columns,
                partitions, location, Map.of())) : Transactions.newTransaction(path, this);
    }

    @Override
    public TableFile create(String name) throws IOException {
        Path file = data.resolve(name);
        return new LocalTableFile(file, "file://" + file, why -> Words.of(title(), why));
    }

    @Override
    public Placed place(DataFile file, Table of) throws IOException {
        Path own = LocalFiles.path(file.path());
        Footer.stamp(own, of.schema().asStruct());
        return new Placed(file.path(), Files.size(own));
    }

    @Override
    public void forget(List<DataFile> files) {
        // nobody can say whether a version names them
    }

    @Override
    public TableMetadata current() {
        return current;
    }

    @Override
    public TableMetadata refresh() {
        return current;
    }

    @Override
    public void commit(TableMetadata base, TableMetadata made) {
        if (base != current) {
            throw new IllegalStateException("not what was looked at");
        }
        long next = version + 1;
        Path written = metadata.resolve(UUID.randomUUID() + TYPE);
        Path target = metadata.resolve("v" + next + TYPE);
        try {
            TableMetadataParser.write(made, files.newOutputFile("file://" + written));
            if (file(next) != null) {
                throw new AnotherFirstException(null);
            }
            if (Files.isDirectory(data)) {
                LocalFiles.force(data);
            }
            LocalFiles.force(metadata.getParent());     // a version that is on the disk finds what it names there
            LocalFiles.force(metadata);
            Files.createLink(target, written);
        } catch (FileAlreadyExistsException there) {
            throw new AnotherFirstException(there);
        } catch (IOException why) {
            throw new RuntimeIOException(why);
        } finally {
            deleteIfThere(written);
        }
        taken(next, target, made);
        if (base != null) {
            CatalogUtil.deleteRemovedMetadataFiles(files, base, made);
        }
    }

    /** It is a version now, whatever else goes wrong. */
    private void taken(long next, Path target, TableMetadata made) {
        current = TableMetadata.buildFrom(made).withMetadataLocation("file://" + target).discardChanges().build();
        version = next;
        try {
            modified = Files.getLastModifiedTime(target);
            LocalFiles.force(metadata);
            Path hint = metadata.resolve("." + UUID.randomUUID() + "." + HINT);
            Files.writeString(hint, Long.toString(next));
            Files.move(hint, metadata.resolve(HINT), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException why) {
            throw new CommitStateUnknownException(why);
        }
    }

    /** Of a file that no table names. */
    static void deleteIfThere(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException left) {
            // nobody looks for it
        }
    }

    @Override
    public FileIO io() {
        return files;
    }

    @Override
    public String metadataFileLocation(String name) {
        return "file://" + metadata.resolve(name);
    }

    @Override
    public LocationProvider locationProvider() {
        return LocationProviders.locationsFor(location, Map.of());
    }

    @Override
    public void close() {
        // nothing stays open
    }
}
