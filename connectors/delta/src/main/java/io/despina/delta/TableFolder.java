package io.despina.delta;

import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.RefusedException;
import java.io.IOException;

/** The folder of a table: on this machine, or in a store. */
interface TableFolder {
    String LOG = "_delta_log";

    static TableFolder of(String path) {
        return StoreFolder.isMeant(path) ? new StoreFolder(path) : new LocalFolder(path);
    }

    /** The name of a version's own file. */
    static String commit(long version) {
        return String.format("%020d.json", version);
    }

    /** What Delta's kernel works with there. */
    LogEngine engine();

    /** @throws RefusedException if two writers might get the same version there */
    void mustBeSafe() throws IOException;

    boolean has(long version) throws IOException;

    /** What tells a version's file from another one of its name; null if there is none. */
    Object stamp(long version) throws IOException;

    /** As the engine names a file that is to be read. @param of as the log has it: a URI, mostly relative */
    String address(String of) throws RefusedException;

    /** A new file. @param location as the log has it */
    TableFile create(String name, String location) throws IOException;
}
