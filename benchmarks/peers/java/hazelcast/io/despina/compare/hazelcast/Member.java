package io.despina.compare.hazelcast;

import com.hazelcast.cluster.Address;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.config.ProcessingGuarantee;
import io.despina.compare.Presence;
import io.despina.compare.Settings;

/**
 * One member of the cluster, a process of its own: {@code SETTINGS INDEX}. Member 0 waits for the others to join, then submits
 * the run's jobs. Sources and sinks are placed on member 0, what stands between them on member 1.
 */
public final class Member {
    private static final int MEMBERS = 2;

    private Member() {
    }

    public static void main(String[] args) throws InterruptedException {
        Settings settings = Settings.read(args[0]);
        int index = Integer.parseInt(args[1]);
        HazelcastInstance instance = Hazelcast.newHazelcastInstance(config(settings, index));
        Presence.announce(settings, "member" + index);
        if (index == 0) {
            while (instance.getCluster().getMembers().size() < MEMBERS) {
                Thread.sleep(20);
            }
            Presence.write(settings, "joined", "");
            submit(instance, settings);
        }
    }

    private static Config config(Settings settings, int index) {
        Config config = new Config();
        config.setClusterName("compare-" + settings.number("port0"));
        config.getJetConfig().setEnabled(true);
        if (settings.number("threads", 0) > 0) {
            config.getJetConfig().setCooperativeThreadCount(settings.number("threads"));
        }
        if (settings.number("flow_control_ms", 0) > 0) {
            config.getJetConfig().setFlowControlPeriodMs(settings.number("flow_control_ms"));
        }
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.logging.type", "jdk");
        config.setProperty("hazelcast.socket.bind.any", "false");
        config.getNetworkConfig().setPort(settings.number("port" + index)).setPortAutoIncrement(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + settings.number("port0"))
                .addMember("127.0.0.1:" + settings.number("port1"));
        return config;
    }

    private static void submit(HazelcastInstance instance, Settings settings) {
        Address ends = address(settings, 0);
        Address middle = address(settings, 1);
        for (int k = 0; k < settings.number("jobs", 1); k++) {
            JobConfig config = new JobConfig().setName(settings.text("work") + k)
                    .setProcessingGuarantee(ProcessingGuarantee.NONE);
            Job job = instance.getJet().newJob(Works.dag(settings, ends, middle, k), config);
            job.getFuture().whenComplete((nothing, failure) -> tell(settings, failure));
        }
    }

    /** Says why a job has failed, when it has. */
    private static void tell(Settings settings, Throwable failure) {
        if (failure != null) {
            Presence.write(settings, "failed", failure.toString());
            failure.printStackTrace();
        }
    }

    private static Address address(Settings settings, int index) {
        try {
            return new Address("127.0.0.1", settings.number("port" + index));
        } catch (java.net.UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
