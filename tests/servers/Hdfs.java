import java.io.File;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** A name node and a data node of HDFS on the loopback interface: {@code Hdfs FOLDER PORT}. When they
 * are ready it prints the address of WebHDFS. They end with standard input. */
public final class Hdfs {
    private Hdfs() {
    }

    public static void main(String[] arguments) throws IOException {
        Configuration settings = new Configuration();
        settings.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, arguments[0]);
        settings.setBoolean("dfs.permissions.enabled", false);
        settings.set("dfs.namenode.fs-limits.min-block-size", "4096");
        boolean isNew = !new File(arguments[0], "name-0-1").exists();
        try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(settings).nameNodePort(Integer.parseInt(arguments[1]))
                .numDataNodes(1).format(isNew).build()) {
            cluster.waitActive();
            System.out.println(cluster.getHttpUri(0));
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }
}
