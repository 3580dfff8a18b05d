package io.despina.iceberg;

import io.despina.connect.LakeTable.DataFile;
import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.LocalTableFile;
import io.despina.connect.LostException;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * A table that a catalog knows. Where its files lie is known when the catalog has been asked, and may be elsewhere; so a data
 * file is written on this machine first, gets its ids there, and is copied when a version takes it in.
 */
final class CatalogTable implements TableHome {

    /** Connects to the catalog. */
    interface Opening {
        Opened open() throws IOException;
    }

    /** A catalog, and what its connection is closed by. */
    record Opened(Catalog catalog, Closeable connection) {
    }

    private final Opening opening;
    private final TableIdentifier name;
    private final TableFiles files;
    /** Null before it is asked first, and after a failure. */
    private Opened open;
    private boolean letIn;
    /** Null if there is no table, or it was not looked for. */
    private TableOperations known;
    private TableMetadata current;
    /** On this machine; null before the first data file. */
    private Path staging;

    CatalogTable(Opening opening, TableIdentifier name, TableFiles files) {
        this.opening = opening;
        this.name = name;
        this.files = files;
    }

    @Override
    public String title() {
        return "`table` " + name;
    }

    @Override
    public String newest() {
        return "snapshot number " + current.lastSequenceNumber();
    }

    @Override
    public String address(String location) {
        return files.address(location);
    }

    @Override
    public TableMetadata look() throws IOException {
        try {
            if (open == null) {
                open = opening.open();
            }
            return found();
        } catch (RuntimeException why) {
            disconnect();       // what it takes to log in may have changed
            throw said(why);
        }
    }

    /** Whoever was let in before may be let in again, by a token of today. */
    private RuntimeException said(RuntimeException why) {
        return letIn && why instanceof NotAuthorizedException ? new UncheckedIOException(new LostException(
                "the catalog does not take the login any more: " + why.getMessage(), why)) : why;
    }

    private TableMetadata found() {
        if (known != null) {
            try {
                current = known.refresh();
                letIn = true;
                return current;
            } catch (NoSuchTableException | IllegalStateException gone) {       // one that was made again has another UUID
                letGo();
            }
        }
        try {
            known = ((BaseTable) open.catalog.loadTable(name)).operations();
            current = known.current();
        } catch (NoSuchTableException none) {
            letGo();
        }
        letIn = true;
        return current;
    }

    private void letGo() {
        known = null;
        current = null;
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
        try {
            known.commit(base, made);
        } catch (CommitFailedException | AlreadyExistsException another) {
            throw new AnotherFirstException(another);
        } catch (NotAuthorizedException why) {
            throw said(why);
        }
        current = made;
    }

    @Override
    public Transaction begin(Schema columns, PartitionSpec partitions) {
        return current == null ? open.catalog.buildTable(name, columns).withPartitionSpec(partitions).createTransaction()
                : Transactions.newTransaction(name.toString(), this);
    }

    @Override
    public TableFile create(String file) throws IOException {
        if (staging == null) {
            staging = Files.createTempDirectory("despina-iceberg");
        }
        return new LocalTableFile(staging.resolve(file), file, why -> Words.of(title(), why));
    }

    @Override
    public Placed place(DataFile file, Table of) throws IOException {
        Path own = staging.resolve(file.path());
        Footer.stamp(own, of.schema().asStruct());
        String location = places(of.location(), of.properties()).newDataLocation(file.path());
        try (OutputStream out = files.newOutputFile(location).createOrOverwrite()) {
            Files.copy(own, out);
        }
        return new Placed(location, Files.size(own));
    }

    /** A class that the catalog names for it would run here: it is not asked. */
    private static LocationProvider places(String location, Map<String, String> properties) {
        Map<String, String> known = new HashMap<>(properties);
        known.remove(TableProperties.WRITE_LOCATION_PROVIDER_IMPL);
        return LocationProviders.locationsFor(location, known);
    }

    @Override
    public void forget(List<DataFile> gone) {
        for (DataFile each : gone) {
            TableFolder.deleteIfThere(staging.resolve(each.path()));
        }
    }

    @Override
    public FileIO io() {
        return files;
    }

    @Override
    public TableOperations temp(TableMetadata made) {
        return known.temp(made);
    }

    @Override
    public EncryptionManager encryption() {
        return known.encryption();
    }

    @Override
    public String metadataFileLocation(String file) {
        return known.metadataFileLocation(file);
    }

    @Override
    public LocationProvider locationProvider() {
        return places(current.location(), current.properties());
    }

    private void disconnect() throws IOException {
        Opened opened = open;
        open = null;
        letGo();
        if (opened != null) {
            opened.connection.close();
        }
    }

    @Override
    public void close() throws IOException {
        disconnect();
        if (staging != null) {
            try (Stream<Path> left = Files.list(staging)) {
                left.forEach(TableFolder::deleteIfThere);
            } catch (UncheckedIOException | IOException gone) {
                // somebody has cleaned up
            }
            TableFolder.deleteIfThere(staging);
            staging = null;
        }
    }
}
