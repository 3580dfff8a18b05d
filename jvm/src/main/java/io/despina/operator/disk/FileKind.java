package io.despina.operator.disk;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a path leads to. Only regular files on this machine's disks answer at once, so a worker may read and write them itself.
 */
public final class FileKind {
    /** Names of file systems as the system reports them. Any other file system may wait for a network. */
    private static final Set<String> LOCAL = Set.of("apfs", "aufs", "bcachefs", "btrfs", "ecryptfs", "erofs", "exfat", "ext2",
            "ext3", "ext4", "f2fs", "fuseblk", "hfs", "iso9660", "jfs", "nilfs2", "ntfs", "ntfs3", "overlay", "ramfs", "reiserfs",
            "rootfs", "squashfs", "tmpfs", "udf", "ufs", "vfat", "xfs", "zfs");
    private static final boolean KNOWS_DEVICES = FileSystems.getDefault().supportedFileAttributeViews().contains("unix");

    private FileKind() {
    }

    /** Whether the path exists and is neither a regular file nor a folder. */
    public static boolean isSpecial(Path path) {
        return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
    }

    /** Whether any of these files may be on another machine. Looks at each file, and once at each file system. */
    public static boolean mayBeRemote(Collection<Path> files) throws IOException {
        Set<Object> devices = new HashSet<>();
        for (Path file : files) {
            if (devices.add(device(file)) && !isLocal(file)) {
                return true;
            }
        }
        return false;
    }

    public static boolean mayBeRemote(Path file) throws IOException {
        return mayBeRemote(List.of(file));
    }

    /** The key of the file's file system, or of its folder if that is unknown. */
    private static Object device(Path file) throws IOException {
        return KNOWS_DEVICES ? Files.getAttribute(file, "unix:dev") : file.getParent();
    }

    private static boolean isLocal(Path file) {
        try {
            return LOCAL.contains(Files.getFileStore(file).type());
        } catch (IOException unknown) {     // as where the mounts of a container cannot be seen
            return false;
        }
    }
}
