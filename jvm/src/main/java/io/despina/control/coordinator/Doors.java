package io.despina.control.coordinator;

import io.despina.control.members.ControlAddress;
import io.despina.control.members.Environment;
import io.despina.control.members.Lease;
import io.despina.control.members.LocalMember;
import io.despina.control.process.Credentials;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The ports at which programs of other processes reach the coordinator's jobs: they learn where the rows are that they read or
 * give, and those of this process are read and given here. Jobs with the same secret share a port. Thread-safe.
 */
final class Doors implements AutoCloseable {
    private final Jobs jobs;
    private final Environment environment;
    private final Supplier<LocalMember> local;
    /** Guarded by itself. */
    private final Map<ControlAddress, Environment.Port> ports = new HashMap<>();

    /** @param local gives the resource in this process; null if there is none */
    Doors(Jobs jobs, Environment environment, Supplier<LocalMember> local) {
        this.jobs = jobs;
        this.environment = environment;
        this.local = local;
    }

    JobAddress open(JobAttempt job) throws Refusal {
        Lease.Access access = job.lease().access();
        int port = port(access);
        return new JobAddress(access.reached(), port, job.id(), access.isOwn() ? access.at().secret() : null,
                job.submission().options().secretFile(), access.at().tls());
    }

    private int port(Lease.Access access) throws Refusal {
        ControlAddress at = access.at();
        synchronized (ports) {
            Environment.Port port = ports.get(at);
            if (port == null) {
                try {
                    port = environment.ports().open(at, Credentials.tls(at.tls()), over -> new Visit(access, over));
                } catch (IOException e) {
                    throw new Refusal("listen", e.getMessage(), "--listen takes an address of this machine");
                }
                ports.put(at, port);
            }
            return port.number();
        }
    }

    private int number(ControlAddress at) {
        synchronized (ports) {
            return ports.get(at).number();
        }
    }

    @Override
    public void close() {
        synchronized (ports) {
            ports.values().forEach(Environment.Port::close);
            ports.clear();
        }
    }

    /** One connection: questions are JSON, what is asked of rows is not. */
    private final class Visit implements ControlHandler {
        private final Lease.Access access;
        private final ControlConnection connection;
        /** Null until rows are asked for. */
        private ControlHandler rows;
        /** Null until it gives rows; guarded by this, as the next. */
        private Epochs given;
        private JobAttempt to;
        private final String run = UUID.randomUUID().toString();
        private boolean over;

        Visit(Lease.Access access, ControlConnection connection) {
            this.access = access;
            this.connection = connection;
        }

        @Override
        public void message(byte[] bytes) {
            if (bytes.length > 0 && bytes[0] == '{') {
                Message message = Message.decode(bytes);
                if (message instanceof Message.Locate asked) {
                    locate(asked);
                } else if (message instanceof Message.Decide asked) {
                    decide(asked);
                }
                return;
            }
            LocalMember here = rows == null ? local.get() : null;
            if (here != null) {
                rows = here.rows(connection);
            }
            if (rows == null) {
                connection.close();
            } else {
                rows.message(bytes);
            }
        }

        private void locate(Message.Locate asked) {
            JobAttempt job = jobs.find(asked.job());
            if (job == null || !job.lease().access().at().secret().equals(access.at().secret())) {
                refuse(new Refusal("job", "there is no job " + asked.job() + " any more", null));
                return;
            }
            job.begun().thenRun(() -> {
                try {
                    String here = access.reached() + ":" + number(access.at());
                    Message.Located found = begin(job, port(job, asked)).located(job.attempt(), job.members(), here);
                    connection.send(found.encode());
                } catch (Refusal why) {
                    refuse(why);
                }
            });
        }

        /** As long as the connection lasts, rows may be staged under its run. */
        private synchronized RowPort begin(JobAttempt job, RowPort port) throws Refusal {
            if (!port.way().equals(Message.Located.IN)) {
                return port;
            }
            if (given != null || over) {
                throw new Refusal("operator", "a connection gives rows to one operator", null);
            }
            given = job.exchange().epochs(port.operator());
            given.open(run);
            to = job;
            return port.of(run);
        }

        private void decide(Message.Decide asked) {
            Epochs epochs;
            synchronized (this) {
                epochs = given;
            }
            try {
                if (epochs == null) {
                    throw new Refusal("operator", "rows are committed over the connection that asked where they go", null);
                }
                connection.send(epochs.decide(run, asked).encode());
            } catch (Refusal why) {
                Refusal cause = epochs == null ? null : to.status().error();
                refuse(cause == null ? why : cause);
            }
        }

        private static RowPort port(JobAttempt job, Message.Locate asked) throws Refusal {
            List<RowPort> all = job.exchange().ports().stream().filter(port -> port.way().equals(asked.way())).toList();
            List<RowPort> named = asked.operator().isEmpty() ? all
                    : all.stream().filter(port -> port.operator().equals(asked.operator())).toList();
            if (named.size() == 1) {
                return named.get(0);
            }
            String ids = String.join(", ", all.stream().map(RowPort::operator).toList());
            String what = asked.way().equals(Message.Located.IN) ? "takes rows of Spark" : "gives rows to programs";
            throw new Refusal("operator", asked.operator().isEmpty()
                    ? (all.isEmpty() ? "no operator" : "more than one operator") + " of job " + job.id() + " " + what
                    : "operator `" + asked.operator() + "` of job " + job.id() + " is none that " + what,
                    all.isEmpty() ? null : "there are: " + ids);
        }

        private void refuse(Refusal why) {
            connection.send(new Message.Refused(why.rule(), why.getMessage(), why.hint()).encode());
        }

        @Override
        public void closed(String reason) {
            synchronized (this) {
                over = true;
                if (given != null) {
                    given.close(run);
                }
            }
            if (rows != null) {
                rows.closed(reason);
            }
        }
    }
}
