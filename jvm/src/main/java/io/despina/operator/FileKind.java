package io.despina.operator;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a path leads to. Only regular files on disks of this machine answer at once, so that a worker may read and write them. */
public final class FileKind {
    /** As the system names them; what is not here may wait for a network. */
    private static final Set<String> LOCAL = Set.of("apfs", "aufs", "bcachefs", "btrfs", "ecryptfs", "erofs", "exfat", "ext2",
            "ext3", "ext4", "f2fs", "fuseblk", "hfs", "iso9660", "jfs", "nilfs2", "ntfs", "ntfs3", "overlay", "ramfs", "reiserfs",
            "rootfs", "squashfs", "tmpfs", "udf", "ufs", "vfat", "xfs", "zfs");
    private static final boolean KNOWS_DEVICES = FileSystems.getDefault().supportedFileAttributeViews().contains("unix");

    private FileKind() {
    }

    /** Whether it is there and neither a regular file nor a folder. */
    public static boolean isSpecial(Path path) {
        return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
    }

    /** Whether one of these may be on another machine. It looks at each file, and once at each file system. */
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

    /** One that stands for its file system, or else for its folder. */
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
