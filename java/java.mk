# Java: the jar with the native library in it, and what is checked of both.

MAVEN := mvn --batch-mode --quiet --file java/pom.xml
JAVA_DATABASES_HAVE = command -v python3 && command -v my_print_defaults && command -v mariadb-install-db && \
	ls /usr/sbin/mariadbd && ls /usr/lib/postgresql/*/bin/initdb
# Beside databases of its own, which the tests find by the environment.
WITH_DATABASES := python3 -B tests/servers/run.py postgresql mariadb --

EXAMPLE_MYBATIS := examples/java-mybatis/target/example-mybatis.jar

.PHONY: java-setup java-test demo-mybatis

# unzip and binutils are for what is checked of the native library.
java-setup: setup
	@command -v mvn >/dev/null && [ -n "$$(sh java/jdks.sh)" ] && command -v unzip >/dev/null && command -v nm >/dev/null || \
		{ $(call apt_get,openjdk-17-jdk-headless maven unzip binutils); }
	@( $(JAVA_DATABASES_HAVE) ) >/dev/null 2>&1 || \
		{ $(call apt_get,python3 postgresql mariadb-server-core mariadb-client-core); }

# Built once, by the oldest: the tests are what runs on each.
java-test: java-setup ## Build the native library and the jar, and test them on the oldest JDK from 17 up and on the newest
	@for home in $$(sh java/jdks.sh); do \
		echo "java: $$home"; \
		JAVA_HOME=$$(sh java/jdks.sh | head -n 1) $(WITH_DATABASES) $(MAVEN) -Djvm="$$home/bin/java" verify; \
	done
	@sh bindings/java/tests/symbols.sh java/sqlthrottle/src/main/java java/sqlthrottle/target/sqlthrottle-*[0-9].jar

demo-mybatis: java-setup ## Show a burst in a MyBatis program, without and with the plugin (ARGS=4 is the seconds of a run)
	@$(MAVEN) --projects ../examples/java-mybatis --also-make -DskipTests package
	@"$$(sh java/jdks.sh | head -n 1)/bin/java" -jar $(EXAMPLE_MYBATIS) $(ARGS)
