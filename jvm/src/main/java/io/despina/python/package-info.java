/**
 * Python functions in processes of their own: packets go as Arrow batches ({@link io.despina.arrow}), and a worker
 * ({@link io.despina.python.PythonWorker}) answers them over a Unix socket. The other side is
 * {@code python/src/despina_worker}.
 */
package io.despina.python;
