package io.despina.iceberg;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * A table in a folder, as Iceberg's Hadoop catalog lays it out: version N is {@code metadata/vN.metadata.json}, and
 * {@code version-hint.text} has a number that is not larger than the newest.
 *
 * <p>Iceberg's own code for it looks whether a version is there, and renames then; of two processes that do so at once, one would
 * lose its version. Here a link makes a version, and one of them gets it. What {@link #current} is changes by {@link #look} and
 * {@link #commit} alone, so that a version follows upon what was looked at and on nothing else.
 */
class TableFolder implements TableOperations {
    private static final String HINT = "version-hint.text";
    private static final String TYPE = ".metadata.json";
    private static final String PACKED = ".gz" + TYPE;
    private static final Pattern NAME = Pattern.compile("v(\\d+)(?:\\.gz)?\\.metadata\\.json");

    private final Path metadata;
    private final String location;
    private final LocalFiles files = new LocalFiles();
    /** Null if there is no table. */
    private TableMetadata current;
    /** Of the file of {@link #current}; 0 for none. */
    private long version;
    private FileTime modified;

    TableFolder(String path) {
        Path root = Path.of(path).toAbsolutePath().normalize();
        metadata = root.resolve("metadata");
        location = "file://" + root;
    }

    /** The newest version; null if there is no table. */
    TableMetadata look() throws IOException {
        Path known = version == 0 ? null : file(version);
        if (known == null || !Files.getLastModifiedTime(known).equals(modified)) {
            version = 0;
        }
        long found = newest();
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

    private long newest() throws IOException {
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

    String location() {
        return location;
    }

    /** The number of the newest version that was looked at. */
    long version() {
        return version;
    }

    @Override
    public TableMetadata current() {
        return current;
    }

    @Override
    public TableMetadata refresh() {
        return current;
    }

    /** @throws AnotherFirstException if another writer has made a version since {@link #look} */
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

    private static void deleteIfThere(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException left) {
            // no reader looks for a file of that name
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
}
