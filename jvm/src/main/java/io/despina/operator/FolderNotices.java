package io.despina.operator;

import java.nio.file.Path;

/** Tells what happens in folders as soon as it happens. Thread-safe. */
public interface FolderNotices {

    /** Is told on a thread of the notices, which must not wait. */
    interface ChangeListener {
        /** A file of the folder was written to. */
        void written(Path file);

        /** A name has come to the folder or gone from it, or notices were lost: anything may have happened. */
        void changed();
    }

    /**
     * Tells the listener from now on. A folder that is watched already may be another one by that name now: then that one is.
     *
     * @param folder its real path
     * @return false if nothing can tell of this folder, now at least: it has to be looked at now and then
     */
    boolean watch(Path folder, ChangeListener listener);

    void forget(Path folder, ChangeListener listener);

    /** Of no folder. */
    FolderNotices NONE = new FolderNotices() {
        @Override
        public boolean watch(Path folder, ChangeListener listener) {
            return false;
        }

        @Override
        public void forget(Path folder, ChangeListener listener) {
        }
    };
}
