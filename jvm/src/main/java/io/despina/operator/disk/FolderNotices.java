package io.despina.operator.disk;

import java.nio.file.Path;

/** Reports changes in folders as soon as they happen. Thread-safe. */
public interface FolderNotices {

    /** Called on a thread of the notices; must not block. */
    interface ChangeListener {
        /** A file of the folder was written to. */
        void written(Path file);

        /** A name was added to the folder or removed from it, or notices were lost, so anything may have happened. */
        void changed();
    }

    /**
     * Notifies the listener from now on. If another folder has taken the name of a watched one, the new folder is watched.
     *
     * @param folder its real path
     * @return false if this folder cannot be watched at present: the caller must poll it
     */
    boolean watch(Path folder, ChangeListener listener);

    void forget(Path folder, ChangeListener listener);

    /** Watches no folder. */
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
